import type { Schema } from 'mongoose';
import type { AdminRole } from '../common/context/request-context.js';
import { recordSchema, type RecordId } from '../database/record.js';

export const auditOutcomes = ['done', 'refused'] as const;
export const auditActorKinds = ['user', 'operator', 'server', 'stranger'] as const;
export const auditTargetKinds = ['apiKey', 'organization', 'user', 'season', 'schedule'] as const;

/** Every action that is recorded: the operations of the admin document that change something, and the operator's commands. */
export const auditActions = [
  'createApiKey',
  'rotateApiKey',
  'endGracePeriod',
  'revokeApiKey',
  'createOrganization',
  'updateOrganization',
  'createOrganizationAdmin',
  'createSuperAdmin',
  'updateUser',
  'disableUser',
  'changePassword',
  'resetPassword',
  'createSeason',
  'replacePlayerStatistics',
  'login',
] as const;
export type AuditAction = (typeof auditActions)[number];

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
  /** One of `auditActions`; the schema rejects any other. */
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
  action: { type: String, required: true, enum: auditActions },
  outcome: { type: String, required: true, enum: auditOutcomes },
  error: { type: Number },
  actor: { type: 'Mixed', required: true },
  organizationId: { type: 'ObjectId' },
  target: { type: 'Mixed' },
  changes: { type: 'Mixed' },
  address: { type: String },
  requestId: { type: String },
});

// Each list is newest first. A combination of filters uses the index of one of them and checks the others on its events.
// Serves the list of all events, and of a period.
auditEventSchema.index({ at: -1, _id: -1 }, { name: 'events_newest_first' });
// Serves the list of an organization's events.
auditEventSchema.index({ organizationId: 1, at: -1, _id: -1 }, { name: 'events_of_organization' });
// Serves the list of events with an action.
auditEventSchema.index({ action: 1, at: -1, _id: -1 }, { name: 'events_of_action' });
// Serves the list of what a user did.
auditEventSchema.index({ 'actor._id': 1, at: -1, _id: -1 }, { name: 'events_of_actor' });

function rejectChange(): never {
  throw new Error('The audit is append-only');
}

auditEventSchema.pre(/^(update|replace|delete|findOneAnd)/, { document: true, query: true }, rejectChange);
auditEventSchema.pre('bulkWrite', rejectChange);
auditEventSchema.pre('save', function () {
  if (!this.isNew) rejectChange();
});
