import { AuditEventsRepository } from '../../src/audit/audit-events.repository.js';
import type { TestApplication } from './application.js';
import type { Look } from './look.js';
import type { ManyRecords } from './many-records.js';

/** How the audit is read. */
export function auditLooks(application: TestApplication, { scope, event, now }: ManyRecords): Look[] {
  const events = application.get(AuditEventsRepository);
  const organizationId = scope.organization.id;
  const behind = { at: now, id: String(event) };
  const all = { indexes: ['events_newest_first'], documents: 20 };
  const ofOrganization = { indexes: ['events_of_organization'], documents: 20 };
  return [
    { name: 'all events are listed', call: () => events.findNewest({}, 20), ...all },
    { name: 'all events behind a position are listed', call: () => events.findNewest({ behind }, 20), ...all },
    {
      name: 'events of an organization are listed',
      call: () => events.findNewest({ organizationId }, 20),
      ...ofOrganization,
    },
    {
      name: 'events of an organization behind a position are listed',
      call: () => events.findNewest({ organizationId, behind }, 20),
      ...ofOrganization,
    },
  ];
}
