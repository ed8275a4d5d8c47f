import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, pause } from '../../config/clock.js';
import { isDatabaseUnavailable } from '../../database/database-error.js';
import { DatabaseService } from '../../database/database.service.js';
import { millisecondsOf } from '../changes/change.schema.js';
import { ChangesRepository } from '../changes/changes.repository.js';
import type { OrganizationRecord } from '../organizations/organization.schema.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { erasedModels, ErasureRepository } from './erasure.repository.js';

const pollMilliseconds = 5_000;
/** The database user may not do this. */
const unauthorized = 13;
/** After this time, nothing that began before an erasure writes any more; the delivery of a webhook takes longest. */
const settleMilliseconds = 30_000;

/**
 * Erases the organizations with `erasingSince`. Every server does so in batches that others may repeat, so an erasure
 * continues when a server stops.
 */
@Injectable()
export class OrganizationEraser implements OnApplicationShutdown {
  private readonly logger = new Logger('Erasure');
  private readonly shutdown = new AbortController();
  private loop: Promise<void> | undefined;

  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly records: ErasureRepository,
    private readonly changes: ChangesRepository,
    private readonly database: DatabaseService,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.loop = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.loop;
  }

  /**
   * Deletes the records of all organizations that are being erased, and the organizations for which nothing can be written
   * any more. Returns the IDs of the others. The failure of one does not delay the next.
   */
  async eraseMarked(): Promise<string[]> {
    const remaining: string[] = [];
    for (const organization of await this.organizations.findErasing()) {
      const organizationId = String(organization._id);
      try {
        if (!(await this.erase(organization))) remaining.push(organizationId);
      } catch (error) {
        remaining.push(organizationId);
        if (this.shutdown.signal.aborted || isDatabaseUnavailable(error)) continue;
        const details = { organizationId, reason: (error as Error).message };
        this.logger.warn('The erasure of an organization failed; retrying', details);
      }
    }
    return remaining;
  }

  /** Returns whether nothing is left of the organization. */
  private async erase(organization: OrganizationRecord): Promise<boolean> {
    // Read before the deletion, which must come after the last write.
    const since = (await this.feedTime()) - (organization.erasingSince?.getTime() ?? 0);
    const scope = { organization: { id: String(organization._id) }, assertMayWrite: this.assertRunning };
    await this.records.deleteAll(scope, erasedModels);
    if (since <= settleMilliseconds) return false;
    await this.records.anonymizeUsers(scope).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== unauthorized) throw error;
      const message = 'Grant `update` on `auditEvents`: without it, names and emails of erased users stay in the audit';
      this.logger.warn(message, { organizationId: scope.organization.id });
    });
    await this.organizations.remove(organization._id);
    return true;
  }

  private readonly assertRunning = (): Promise<void> => {
    this.shutdown.signal.throwIfAborted();
    return Promise.resolve();
  };

  private async run(): Promise<void> {
    const { signal } = this.shutdown;
    while (!signal.aborted) {
      await this.eraseMarked().catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) this.logger.warn('Erasures failed; retrying', { reason: String(error) });
      });
      await pause(pollMilliseconds, signal);
    }
  }

  /** Returns the time of the latest change in the change feed, which adds no rows for earlier ones; without a feed, now. */
  private async feedTime(): Promise<number> {
    if (!this.database.isReplicaSet) return this.clock.now().getTime();
    const end = await this.changes.readCausally((session) => this.changes.findEnd(session));
    return end === null ? 0 : millisecondsOf(end);
  }
}
