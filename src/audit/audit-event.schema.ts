import type { Schema } from 'mongoose';
import type { AdminRole } from '../common/context/request-context.js';
import { recordSchema, type RecordId } from '../database/record.js';

/** Who acted. A stranger is whoever tried to log in and could not. */
export interface AuditActor {
  readonly kind: 'user' | 'operator' | 'server' | 'stranger';
  readonly _id?: RecordId;
  readonly email?: string;
  readonly role?: AdminRole;
}

/** What was acted on. */
export interface AuditTarget {
  readonly kind: 'apiKey' | 'organization' | 'user';
  readonly _id: RecordId;
}

/** One entry of the audit: written once, never changed, and free of secrets. */
export interface AuditEventRecord {
  _id: RecordId;
  at: Date;
  /** The operation, as the admin document names it (`rotateApiKey`), or the operator's command. */
  action: string;
  outcome: 'done' | 'refused';
  /** The code of the refusal. */
  error?: number;
  actor: AuditActor;
  organizationId?: RecordId;
  target?: AuditTarget;
  /** What became of the fields that were changed. */
  changes?: Readonly<Record<string, unknown>>;
  address?: string;
  requestId?: string;
}

export const auditEventModel = 'AuditEvent';

export const auditEventSchema: Schema<AuditEventRecord> = recordSchema<AuditEventRecord>('auditEvents', {
  at: { type: Date, required: true },
  action: { type: String, required: true },
  outcome: { type: String, required: true, enum: ['done', 'refused'] },
  error: { type: Number },
  actor: { type: 'Mixed', required: true },
  organizationId: { type: 'ObjectId' },
  target: { type: 'Mixed' },
  changes: { type: 'Mixed' },
  address: { type: String },
  requestId: { type: String },
});

// Serves the list of all events, newest first.
auditEventSchema.index({ at: -1, _id: -1 }, { name: 'events_newest_first' });
// Serves the list of an organization's events, newest first.
auditEventSchema.index({ organizationId: 1, at: -1, _id: -1 }, { name: 'events_of_organization' });

auditEventSchema.pre(
  [
    'updateOne',
    'updateMany',
    'replaceOne',
    'findOneAndUpdate',
    'findOneAndReplace',
    'deleteOne',
    'deleteMany',
    'findOneAndDelete',
  ],
  () => {
    throw new Error('The audit is append-only');
  },
);
