import { Drawer, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditEventResponse } from '../api/generated/types.gen';
import { closeDialog } from '../components/dialog';
import { Time } from '../components/time';
import { RequestId } from '../components/ui';
import { OrganizationLink } from '../organizations/organization-field';
import { texts } from '../texts';

const labels = texts.audit;

const actionLabels: Partial<Record<string, string>> = labels.actions;

/** Returns the label of an action, or the action itself if this console is older than the server. */
export const labelOf = (action: string): string => actionLabels[action] ?? action;

/** Everything that the audit log contains about one event. */
export function AuditDrawer({ event }: { event: AuditEventResponse }) {
  const { at, actor, organizationId, target, outcome, error, address, requestId, changes } = event;
  const who = actor.email ?? labels.actors[actor.kind];
  return (
    <Drawer opened onClose={closeDialog} position="right" size="lg" title={labelOf(event.action)}>
      <Stack gap="lg">
        <Facts
          label={labels.details}
          facts={[
            [labels.fields.at, <Time key="at" value={at} />],
            [labels.fields.outcome, error === undefined ? labels.outcomes[outcome] : labels.refused(error)],
            [labels.fields.actor, actor.role ? `${who}, ${texts.roles[actor.role]}` : who],
            [texts.organization.title, organizationId && <OrganizationLink id={organizationId} />],
            [labels.fields.target, target && `${labels.targets[target.kind]} ${target._id}`],
            [labels.fields.address, address],
            [texts.requestId, requestId && <RequestId value={requestId} />],
          ]}
        />
        {changes && (
          <>
            <Text fw={600}>{labels.changes}</Text>
            <Facts
              label={labels.changes}
              facts={Object.entries(changes).map(([field, value]) => [field, format(value)])}
            />
          </>
        )}
      </Stack>
    </Drawer>
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
