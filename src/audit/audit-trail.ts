import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import type { Author } from '../common/context/request-context.js';
import { newRecordId, toRecordId } from '../database/record.js';
import type { Session } from '../database/transaction.js';
import type { AuditEventRecord, AuditTarget } from './audit-event.schema.js';
import { AuditEventsRepository } from './audit-events.repository.js';

/** A change that was made. */
export interface Change {
  /** The operation, as the admin document names it (`rotateApiKey`), or the operator's command. */
  readonly action: string;
  readonly target: { readonly kind: AuditTarget['kind']; readonly id: string };
  readonly organizationId?: string | undefined;
  /** What became of the fields that were changed; never a secret, nor its hash. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** Keeps who changed what. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly events: AuditEventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Records a change as a part of the transaction that makes it: there is never one without the other. */
  async recordChange(author: Author, change: Change, session: Session): Promise<void> {
    const { action, target, organizationId, changes } = change;
    await this.events.insert(
      {
        _id: newRecordId(),
        at: this.clock.now(),
        action,
        outcome: 'done',
        ...whoAndWhence(author),
        ...(organizationId !== undefined && { organizationId: toRecordId(organizationId) }),
        target: { kind: target.kind, _id: toRecordId(target.id) },
        ...(changes !== undefined && { changes }),
      },
      session,
    );
  }
}

function whoAndWhence(author: Author): Pick<AuditEventRecord, 'actor' | 'address' | 'requestId'> {
  if ('system' in author) return { actor: { kind: author.system } };
  const { user, address, requestId } = author;
  return { actor: { kind: 'user', _id: toRecordId(user.id), email: user.email, role: user.role }, address, requestId };
}
