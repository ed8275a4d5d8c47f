import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { AdminContext, Author } from '../common/context/request-context.js';
import { Configuration } from '../config/configuration.js';
import { newRecordId, toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import { toAuditEventResponse } from './audit-event.mapper.js';
import type { AuditEventRecord, AuditTarget } from './audit-event.schema.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { withoutSecrets } from './without-secrets.js';

/** A change that was made. */
export interface Change {
  /** The operation, as the admin document names it (`rotateApiKey`), or the operator's command. */
  readonly action: string;
  readonly target: { readonly kind: AuditTarget['kind']; readonly id: string };
  readonly organizationId?: string | undefined;
  /** What became of the fields that were changed; never a secret, nor its hash. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** A login that was refused, for the email of somebody who exists; never what was presented. */
export interface RefusedLogin {
  /** Whose email it is. */
  readonly userId: string;
  readonly organizationId?: string | undefined;
  readonly address: string;
  readonly requestId: string;
  /** The code of the refusal. */
  readonly error: number;
}

/** The longest time to write a rejected login, in milliseconds. */
const longestWait = 2_000;

/** Keeps who changed what, who logged in, and whose login was refused. */
@Injectable()
export class AuditTrail implements OnApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly events: AuditEventsRepository,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /**
   * Records a change as a part of the transaction that makes it: there is never one without the other.
   * @throws Error where a changed field is named like a secret
   */
  async recordChange(author: Author, change: Change, session: Session): Promise<void> {
    const { action, target, organizationId, changes } = change;
    const event = this.event({
      action,
      outcome: 'done',
      ...whoAndWhence(author),
      ...about(organizationId, target),
      ...(changes !== undefined && { changes: withoutSecrets(changes, this.configuration.liveKeyPrefix) }),
    });
    await this.events.insert(event, session);
  }

  /**
   * Records a change as `recordChange` does if an admin made it. For seasons and statistics, which the server also writes by
   * itself for the demo: the audit is about people.
   */
  async recordAdminChange(author: Author, change: Change, session: Session): Promise<void> {
    if (!('system' in author)) await this.recordChange(author, change, session);
  }

  /**
   * Records that a user logged in. Not a part of a transaction, so that logins also work on a standalone database.
   * @throws Error if the event cannot be written
   */
  async recordLogin(admin: AdminContext): Promise<void> {
    const target = about(admin.user.organizationId, { kind: 'user', id: admin.user.id });
    await this.events.insert(this.event({ action: 'login', outcome: 'done', ...whoAndWhence(admin), ...target }));
  }

  /**
   * Records, a little later, that somebody could not log in with the email of a user. Do not wait for it before the
   * answer: that takes longer then, and so tells that the email is known. Never throws: what cannot be written goes to the log.
   */
  recordRefusedLogin({ userId, organizationId, address, requestId, error }: RefusedLogin): Promise<void> {
    const event = this.event({
      action: 'login',
      outcome: 'refused',
      error,
      actor: { kind: 'stranger' },
      ...about(organizationId, { kind: 'user', id: userId }),
      ...whence(address, requestId),
    });
    return this.keep(event, () => this.pause());
  }

  /** Until some time after the answer: what is done right behind it can be told by the time of the next one. */
  private async pause(): Promise<void> {
    const milliseconds = 200 + 800 * Math.random();
    await sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  /** Work that will perhaps record something, and that nobody else waits for: the stop does. It must not reject. */
  async finishBeforeStop(work: Promise<void>): Promise<void> {
    this.underWay.add(work);
    await work.finally(() => this.underWay.delete(work));
  }

  /** What is being written, and what is on the way there, is there before the database closes. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private event(what: Omit<AuditEventRecord, '_id' | 'at'>): AuditEventRecord {
    return { _id: newRecordId(), at: this.clock.now(), ...what };
  }

  private async keep(event: AuditEventRecord, complete: () => Promise<void>): Promise<void> {
    const writing = inTime(complete().then(() => this.events.insert(event))).catch((error: unknown) =>
      this.logger.warn('A refusal could not be recorded', {
        requestId: event.requestId,
        event: toAuditEventResponse(event),
        reason: (error as Error).message,
      }),
    );
    await this.finishBeforeStop(writing);
  }
}

type About = Pick<AuditEventRecord, 'organizationId' | 'target'>;
type Whence = Pick<AuditEventRecord, 'address' | 'requestId'>;

function about(organizationId: string | undefined, target: Change['target'] | undefined): About {
  return {
    ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
    ...(target && { target: { kind: target.kind, _id: toRecordId(target.id) } }),
  };
}

function whoAndWhence(author: Author): Pick<AuditEventRecord, 'actor'> & Whence {
  if ('system' in author) return { actor: { kind: author.system } };
  const { user, address, requestId } = author;
  const actor = { kind: 'user', _id: toRecordId(user.id), email: user.email, role: user.role } as const;
  return { actor, ...whence(address, requestId) };
}

/** A connection that is gone has no address any more. */
function whence(address: string, requestId: string): Whence {
  return { ...(address !== '' && { address }), requestId };
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The database did not confirm it within ${longestWait} ms`)),
      longestWait,
    );
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
