import { AuditEventsRepository } from '../../src/audit/audit-events.repository.js';
import type { TestApplication } from './application.js';
import type { Look } from './look.js';
import type { ManyRecords } from './many-records.js';

/** How the audit is read. */
export function auditLooks(application: TestApplication, { scope, event, now }: ManyRecords): Look[] {
  const events = application.get(AuditEventsRepository);
  const organizationId = scope.organization.id;
  const first = { page: 1, limit: 20 };
  const after = { limit: 20, after: { at: now, id: String(event) } };
  const all = { indexes: ['events_newest_first'], documents: 21 };
  const ofOrganization = { indexes: ['events_of_organization'], documents: 21 };
  return [
    { name: 'all events are listed', call: () => events.findNewest({}, first), ...all },
    { name: 'all events after a position are listed', call: () => events.findNewest({}, after), ...all },
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
