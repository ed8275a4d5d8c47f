import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, pause } from '../../config/clock.js';
import type { AdminContext, Actor, AnonymousContext, RequestContext } from '../../access/request-context.js';
import { type CatalogueEntry, errorCatalogue } from '../../errors/error-catalogue.js';
import { Configuration } from '../../config/configuration.js';
import { CursorPage } from '../../database/cursor-page.js';
import { changesOf, newRecordId, type RecordId, toRecordId } from '../../database/record.js';
import { type Session, Transactions } from '../../database/transaction.js';
import type { AuditEventListResponse, ListAuditEventsQuery } from './audit-event.dto.js';
import { type AuditAction, type AuditEventRecord, targetKindOf } from './audit-event.schema.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { redactSecrets } from './redact-secrets.js';

export interface Change {
  readonly action: AuditAction;
  /** ID of the changed record. */
  readonly id: string;
  readonly organizationId?: string | undefined;
  /** The name of the changed record, unless it is personal data of a player. */
  readonly name?: string | undefined;
  /** The record before an update. Only the fields that the update changes are stored in the event. */
  readonly before?: object | undefined;
  /** The changed fields; never a secret or its hash. */
  readonly changes?: object | undefined;
  /** Why a password or a code was rejected. Omitted if the action succeeded. */
  readonly error?: CatalogueEntry | undefined;
}

interface RejectedUser {
  readonly _id: RecordId;
  readonly email: string;
  readonly organizationId?: RecordId | undefined;
}

/** Records and lists changes by admins and API keys, logins and rejected logins. */
@Injectable()
export class AuditTrail implements OnApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private readonly pending = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly events: AuditEventsRepository,
    private readonly configuration: Configuration,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a change and records it in one transaction.
   * @param change can depend on the result of the work; undefined if it changed nothing
   * @throws Error if the name of a changed field suggests a secret; errors of the work
   */
  recordWith<T>(
    actor: Actor | RequestContext,
    change: Change | ((result: T) => Change | undefined),
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    return this.transactions.run(actor, async (session) => {
      const result = await work(session);
      const made = typeof change === 'function' ? change(result) : change;
      if (made !== undefined) await this.record(actor, made, session);
      return result;
    });
  }

  /**
   * Records a change in the transaction that makes it, so that both are stored or neither. What changes nothing has none.
   * @throws Error if the name of a changed field suggests a secret, or the event cannot be written
   */
  async record(actor: Actor | RequestContext, change: Change, session?: Session): Promise<void> {
    await this.events.insert(this.toEvent(actor, change), session);
  }

  /** Records a login of an admin, or a wrong password or code in a request of theirs. */
  async recordOwn(admin: AdminContext, action: AuditAction, details: Pick<Change, 'changes' | 'error'>) {
    const { id, organizationId, email } = admin.user;
    await this.record(admin, { action, id, organizationId, name: email, ...details });
  }

  /** Records each player whose data an admin reads, before the response. */
  recordReads(admin: AdminContext, organizationId: string, playerIds: readonly unknown[]): Promise<void> {
    const ids = [...new Set(playerIds.map(String))];
    return this.recordBefore(
      admin,
      ids.map((id) => ({ action: 'readPlayer', id, organizationId })),
    );
  }

  /** Records what an admin reads, or writes without a transaction, before it happens. */
  async recordBefore(admin: AdminContext, changes: readonly Change[]): Promise<void> {
    await admin.assertMayWrite();
    await Promise.all(changes.map((change) => this.record(admin, change)));
  }

  /**
   * Records a rejected login if its email belongs to a user. Do not wait for it before responding, because the response
   * time would reveal whether the user exists. For the same reason the write is delayed by up to a second. Never throws:
   * an error is logged.
   */
  recordRejectedLogin(
    context: AnonymousContext,
    findUser: () => Promise<RejectedUser | null>,
    error: CatalogueEntry = errorCatalogue.invalidLogin,
  ): Promise<void> {
    const at = this.clock.now();
    const write = async () => {
      const user = await findUser();
      if (user === null) return;
      const organizationId = user.organizationId && String(user.organizationId);
      const login = { action: 'login', id: String(user._id), organizationId, name: user.email, error } as const;
      await pause(200 + 800 * Math.random(), this.stopping.signal); // no delay during shutdown
      await this.events.insert(Object.assign(this.toEvent(context, login), { at }));
    };
    const pending = write()
      .catch((error: unknown) => {
        const { requestId, address } = context;
        const reason = (error as Error).message;
        this.logger.warn('A rejected login could not be recorded in the audit log', { requestId, address, reason });
      })
      .finally(() => this.pending.delete(pending));
    this.pending.add(pending);
    return pending;
  }

  /**
   * Returns a page of the events that match, newest first.
   * @throws ServiceError 40001 for a cursor of another list or other filters
   */
  async list(query: ListAuditEventsQuery): Promise<AuditEventListResponse> {
    const page = new CursorPage(undefined, query, 'audit-events', this.clock.now());
    const { data, end } = await this.events.findNewest(query, page.start);
    return { data, ...page.next(end) };
  }

  /** Waits until pending rejected logins are recorded, before the database closes. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.pending);
  }

  private toEvent(actor: Originator, change: Change): AuditEventRecord {
    const { action, id, organizationId, name, changes, before, error } = change;
    return {
      _id: newRecordId(),
      at: this.clock.now(),
      action,
      outcome: error === undefined ? 'success' : 'failure',
      error: error?.code,
      ...originOf(actor),
      target: { kind: targetKindOf[action], _id: toRecordId(id), ...redactSecrets({ name }, this.configuration) },
      organizationId: organizationId === undefined ? undefined : toRecordId(organizationId),
      changes: redactSecrets(changes, this.configuration),
      previous: redactSecrets(before && previousOf(before, changes ?? {}), this.configuration),
    };
  }
}

/** Returns the values of a record that the changes replace; null for those that it did not have. */
function previousOf(before: object, changes: object): object {
  const values = new Map<string, unknown>(Object.entries(before));
  const replaced = Object.keys(changesOf(before, changes));
  return Object.fromEntries(replaced.map((name) => [name, values.get(name) ?? null]));
}

type Originator = Actor | RequestContext | AnonymousContext;

function originOf(actor: Originator): Pick<AuditEventRecord, 'actor' | 'address' | 'requestId'> {
  if ('system' in actor) return { actor: { kind: actor.system } };
  if ('apiKey' in actor) {
    const { id, keyPrefix } = actor.apiKey;
    return { actor: { kind: 'apiKey', _id: toRecordId(id), keyPrefix }, ...clientOf(actor) };
  }
  if (!('user' in actor)) return { actor: { kind: 'anonymous' }, ...clientOf(actor) };
  const { id, email, role } = actor.user;
  return { actor: { kind: 'user', _id: toRecordId(id), email, role }, ...clientOf(actor) };
}

/** A closed connection has no address. */
function clientOf({ address, requestId }: AnonymousContext): Pick<AuditEventRecord, 'address' | 'requestId'> {
  return { address: address === '' ? undefined : address, requestId };
}
