import type { AuditEventResponse } from './audit-event.response.js';
import type { AuditEventRecord } from './audit-event.schema.js';

/** The fields of an event that leave. */
export function toAuditEventResponse(event: AuditEventRecord): AuditEventResponse {
  const { actor, target } = event;
  return {
    _id: String(event._id),
    at: event.at.toISOString(),
    action: event.action,
    outcome: event.outcome,
    ...(event.error !== undefined && { error: event.error }),
    actor: {
      kind: actor.kind,
      ...(actor._id && { _id: String(actor._id) }),
      ...(actor.email !== undefined && { email: actor.email }),
      ...(actor.role && { role: actor.role }),
    },
    ...(event.organizationId && { organizationId: String(event.organizationId) }),
    ...(target && { target: { kind: target.kind, _id: String(target._id) } }),
    ...(event.changes && { changes: event.changes }),
    ...(event.address !== undefined && { address: event.address }),
    ...(event.requestId !== undefined && { requestId: event.requestId }),
  };
}
