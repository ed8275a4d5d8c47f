import { Injectable, Logger } from '@nestjs/common';
import type { Tenant } from '../../access/request-context.js';
import { erasureSettled } from '../../config/time-windows.js';
import { BackgroundLoop } from '../../database/background-loop.js';
import { isDatabaseUnavailable } from '../../database/database-error.js';
import { millisecondsOf } from '../changes/change.schema.js';
import { ChangesRepository } from '../changes/changes.repository.js';
import type { OrganizationRecord } from '../organizations/organization.schema.js';
import { OrganizationsRepository } from '../organizations/organizations.repository.js';
import { erasedModels, ErasureRepository } from './erasure.repository.js';

const pollMilliseconds = 5_000;
/** The database user may not do this. */
const unauthorized = 13;

/**
 * Erases the organizations with `erasingSince`. Every server does so in batches that others may repeat, so an erasure
 * continues when a server stops.
 */
@Injectable()
export class OrganizationEraser extends BackgroundLoop {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly records: ErasureRepository,
    private readonly changes: ChangesRepository,
  ) {
    super(new Logger('Erasure'), 'Erasures failed; retrying', pollMilliseconds);
  }

  protected work(): Promise<unknown> {
    return this.eraseMarked();
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
        if (this.signal.aborted || isDatabaseUnavailable(error)) continue;
        const details = { organizationId, reason: (error as Error).message };
        this.logger.warn('The erasure of an organization failed; retrying', details);
      }
    }
    return remaining;
  }

  /** Returns whether nothing is left of the organization. */
  private async erase(organization: OrganizationRecord): Promise<boolean> {
    // The change feed adds no rows before its end. Read before the deletion, which must come after the last write.
    const feedEnd = await this.changes.readCausally((session) => this.changes.findEnd(session));
    const since = (feedEnd === null ? 0 : millisecondsOf(feedEnd)) - (organization.erasingSince?.getTime() ?? 0);
    const tenant = { organization: { id: String(organization._id) }, assertMayWrite: this.assertRunning };
    if (organization.erasure === undefined) await this.storeTotal(organization, tenant);
    const onDeleted = (deleted: number) => this.organizations.countErased(organization._id, deleted);
    await this.records.deleteAll(tenant, erasedModels, onDeleted);
    if (since <= erasureSettled) return false;
    await this.records.anonymizeEvents(tenant).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== unauthorized) throw error;
      const message = 'Grant `update` on `auditEvents`: without it, names and emails of erased users stay in the audit';
      this.logger.warn(message, { organizationId: tenant.organization.id });
    });
    await this.organizations.remove(organization._id);
    return true;
  }

  /** Without the total, as when counting takes too long, the erasure shows no progress, but goes on. */
  private async storeTotal({ _id }: OrganizationRecord, tenant: Tenant): Promise<void> {
    const total = await this.records.count(tenant, erasedModels).catch(() => undefined);
    if (total !== undefined) await this.organizations.setErasureTotal(_id, total);
  }

  private readonly assertRunning = (): Promise<void> => {
    this.signal.throwIfAborted();
    return Promise.resolve();
  };
}
