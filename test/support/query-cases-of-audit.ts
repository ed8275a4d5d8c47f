import { AuditEventsRepository } from '../../src/modules/audit/audit-events.repository.js';
import type { TestApplication } from './application.js';
import { query, type QueryCase } from './query-case.js';
import { auditEventsOfUser, type ManyRecords } from './many-records.js';

/** Queries of audit events. */
export function auditQueryCases(application: TestApplication, { tenant, event, users, now }: ManyRecords): QueryCase[] {
  const events = application.get(AuditEventsRepository);
  const organizationId = tenant.organization.id;
  const actorId = String(users[0]);
  const action = 'createApiKey';
  const first = { page: 1, limit: 20 };
  const after = { limit: 20, after: { at: now, id: String(event) } };
  const all = { indexes: ['events_newest_first'], documents: 21 };
  const ofOrganization = { indexes: ['events_of_organization'], documents: 21 };
  const ofAction = { indexes: ['events_of_action'], documents: 21 };
  const ofActor = { indexes: ['events_of_actor'], documents: 21 };
  return [
    query(all, () => events.findNewest({}, first)),
    query(all, () => events.findNewest({}, after)),
    query(all, () => events.findNewest({ from: new Date(now.getTime() - 3_600_000), to: now }, first)),
    query(ofAction, () => events.findNewest({ action }, first)),
    query(ofAction, () => events.findNewest({ action }, after)),
    query(ofActor, () => events.findNewest({ actorId }, first)),
    query(ofActor, () => events.findNewest({ actorId, from: new Date(0), to: new Date(now.getTime() + 1) }, after)),
    query({ indexes: ['events_of_actor'], documents: auditEventsOfUser }, () =>
      events.findNewest({ organizationId, action, actorId }, first),
    ),
    query({ indexes: ['events_of_target'], documents: 4 }, () => events.findNewest({ targetId: actorId }, first)),
    query(ofOrganization, () => events.findNewest({ organizationId }, first)),
    query(ofOrganization, () => events.findNewest({ organizationId }, after)),
  ];
}
