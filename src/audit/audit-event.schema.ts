import type { Schema } from 'mongoose';
import type { AdminRole } from '../common/context/request-context.js';
import { recordSchema, type RecordId } from '../database/record.js';

export const auditOutcomes = ['done', 'refused'] as const;
export const auditActorKinds = ['user', 'operator', 'server', 'stranger'] as const;
export const auditTargetKinds = ['apiKey', 'organization', 'user', 'season', 'schedule'] as const;

/** Who acted. A stranger is somebody whose login was refused. */
export interface AuditActor {
  readonly kind: (typeof auditActorKinds)[number];
  readonly _id?: RecordId;
  readonly email?: string;
  readonly role?: AdminRole;
}

/** What was acted on. */
export interface AuditTarget {
  readonly kind: (typeof auditTargetKinds)[number];
  readonly _id: RecordId;
}

/** One entry of the audit: written once, never changed, and free of secrets. */
export interface AuditEventRecord {
  _id: RecordId;
  at: Date;
  /** The operation, as the admin document names it (`rotateApiKey`), or the operator's command. */
  action: string;
  outcome: (typeof auditOutcomes)[number];
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
  outcome: { type: String, required: true, enum: auditOutcomes },
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

function refuseChange(): never {
  throw new Error('The audit is append-only');
}

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
  refuseChange,
);
auditEventSchema.pre('bulkWrite', refuseChange);
auditEventSchema.pre('save', function () {
  if (!this.isNew) refuseChange();
});
