import { AuditEventsRepository } from '../../src/modules/audit/audit-events.repository.js';
import type { TestApplication } from './application.js';
import type { QueryCase } from './query-case.js';
import { auditEventsOfUser, type ManyRecords } from './many-records.js';

/** Queries of audit events. */
export function auditQueryCases(application: TestApplication, { scope, event, users, now }: ManyRecords): QueryCase[] {
  const events = application.get(AuditEventsRepository);
  const organizationId = scope.organization.id;
  const actorId = String(users[0]);
  const action = 'createApiKey';
  const first = { page: 1, limit: 20 };
  const after = { limit: 20, after: { at: now, id: String(event) } };
  const all = { indexes: ['events_newest_first'], documents: 21 };
  const ofOrganization = { indexes: ['events_of_organization'], documents: 21 };
  const ofAction = { indexes: ['events_of_action'], documents: 21 };
  const ofActor = { indexes: ['events_of_actor'], documents: 21 };
  return [
    { name: 'all events are listed', call: () => events.findNewest({}, first), ...all },
    { name: 'all events after a position are listed', call: () => events.findNewest({}, after), ...all },
    {
      name: 'events of a period are listed',
      call: () => events.findNewest({ from: new Date(now.getTime() - 3_600_000), to: now }, first),
      ...all,
    },
    {
      name: 'events with an action are listed',
      call: () => events.findNewest({ action }, first),
      ...ofAction,
    },
    {
      name: 'events with an action after a position are listed',
      call: () => events.findNewest({ action }, after),
      ...ofAction,
    },
    { name: 'what a user did is listed', call: () => events.findNewest({ actorId }, first), ...ofActor },
    {
      name: 'what a user did in a period is listed after a position',
      call: () => events.findNewest({ actorId, from: new Date(0), to: new Date(now.getTime() + 1) }, after),
      ...ofActor,
    },
    {
      name: 'what a user did with an action in an organization is listed',
      call: () => events.findNewest({ organizationId, action, actorId }, first),
      indexes: ['events_of_actor'],
      documents: auditEventsOfUser,
    },
    {
      name: 'events of an organization are listed',
      call: () => events.findNewest({ organizationId }, first),
      ...ofOrganization,
    },
    {
      name: 'events of an organization after a position are listed',
      call: () => events.findNewest({ organizationId }, after),
      ...ofOrganization,
    },
  ];
}
