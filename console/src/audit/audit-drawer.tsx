import { Drawer, Stack } from '@mantine/core';
import type { AuditEventResponse } from '../api/generated/types.gen';
import { Facts, factsOf, formatValue, toWords } from '../components/facts';
import { DataTable } from '../components/list';
import { RecordLink } from '../components/record-link';
import { Time } from '../components/time';
import { RequestId, roleLabels } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { actorOf, labelOf, outcomeLabels, recordOf } from './audit-labels';

/** Everything that the audit log contains about one event. */
export function AuditDrawer({ event, onClose }: { event: AuditEventResponse | undefined; onClose: () => void }) {
  return (
    <Drawer opened={event !== undefined} onClose={onClose} title={event && labelOf(event)}>
      {event && <Details event={event} />}
    </Drawer>
  );
}

function Details({ event }: { event: AuditEventResponse }) {
  const { at, actor, organizationId, organizationName, target, outcome, error, address, requestId, changes, previous } =
    event;
  const who = actorOf(actor);
  return (
    <Stack gap="lg">
      <Facts
        label="Details of the event"
        facts={[
          ['Time', <Time value={at} />],
          ['Outcome', error === undefined ? outcomeLabels[outcome] : `Rejected with error ${error}`],
          ['Actor', actor.role ? `${who}, ${roleLabels[actor.role]}` : who],
          ['Organization', organizationId && <OrganizationLink id={organizationId} name={organizationName} />],
          [
            'Record',
            target && organizationId ? (
              <RecordLink kind={target.kind} id={target._id} organizationId={organizationId} name={recordOf(target)} />
            ) : (
              target && recordOf(target)
            ),
          ],
          ['Record ID', target?._id],
          ['IP address', address],
          ['Request ID', requestId && <RequestId value={requestId} />],
        ]}
      />
      {changes && <Changes changes={changes} previous={previous} />}
    </Stack>
  );
}

type Values = Readonly<Record<string, unknown>>;

/** The changed fields: of an update the old values beside the new ones, otherwise only the new ones. */
function Changes({ changes, previous }: { changes: Values; previous?: Values | undefined }) {
  if (previous === undefined) return <Facts label="New values" facts={factsOf(changes)} />;
  return (
    <DataTable
      label="Changes"
      columns={[
        ['Field', (field) => <strong>{toWords(field)}</strong>],
        ['Before', (field) => <span className="break">{formatValue(previous[field])}</span>],
        ['After', (field) => <span className="break">{formatValue(changes[field])}</span>],
      ]}
      rows={Object.keys(previous)}
      rowKey={(field) => field}
    />
  );
}
