import { Drawer, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditEventResponse } from '../api/generated/types.gen';
import { Time } from '../components/time';
import { RequestId, roleLabels } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { actorLabels, labelOf, outcomeLabels } from './audit-labels';

const targetLabels = {
  apiKey: 'Key',
  organization: 'Organization',
  user: 'User',
  season: 'Season',
  schedule: 'Schedule',
  player: 'Player',
  webhookEndpoint: 'Webhook endpoint',
  calendarLink: 'Calendar link',
};

/** Everything that the audit log contains about one event. */
export function AuditDrawer({ event, onClose }: { event: AuditEventResponse | undefined; onClose: () => void }) {
  return (
    <Drawer
      opened={event !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={event && labelOf(event.action)}
    >
      {event && <Details event={event} />}
    </Drawer>
  );
}

function Details({ event }: { event: AuditEventResponse }) {
  const { at, actor, organizationId, target, outcome, error, address, requestId, changes } = event;
  const who = actor.email ?? actorLabels[actor.kind];
  return (
    <Stack gap="lg">
      <Facts
        label="Details of the event"
        facts={[
          ['Time', <Time key="at" value={at} />],
          ['Outcome', error === undefined ? outcomeLabels[outcome] : `Rejected with error ${error}`],
          ['Actor', actor.role ? `${who}, ${roleLabels[actor.role]}` : who],
          ['Organization', organizationId && <OrganizationLink id={organizationId} />],
          ['Record', target && `${targetLabels[target.kind]} ${target._id}`],
          ['IP address', address],
          ['Request ID', requestId && <RequestId value={requestId} />],
        ]}
      />
      {changes && (
        <>
          <Text fw={600}>New values</Text>
          <Facts label="New values" facts={Object.entries(changes).map(([field, value]) => [field, format(value)])} />
        </>
      )}
    </Stack>
  );
}

const format = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function Facts({ label, facts }: { label: string; facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Table variant="vertical" layout="fixed" aria-label={label} withTableBorder>
      <Table.Tbody>
        {facts
          .filter(([, fact]) => fact !== undefined)
          .map(([name, fact]) => (
            <Table.Tr key={name}>
              <Table.Th w={136} scope="row" className="break">
                {name}
              </Table.Th>
              <Table.Td className="break" style={{ whiteSpace: 'pre-wrap' }}>
                {fact}
              </Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
