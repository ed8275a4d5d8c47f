import { Code, Drawer, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditEventResponse } from '../api/generated/types.gen';
import { Copy } from '../components/copy';
import { Time } from '../components/time';
import { OrganizationName } from '../organizations/organization-name';
import { texts } from '../texts';
import { nameOf } from './audit-columns';

/** Everything that the audit knows about one event. */
export function AuditDrawer({ event, onClose }: { event: AuditEventResponse; onClose: () => void }) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={nameOf(event)}
      closeButtonProps={{ 'aria-label': texts.actions.close }}
    >
      <Stack gap="lg">
        <Facts event={event} />
        {event.changes && <Changes changes={event.changes} />}
      </Stack>
    </Drawer>
  );
}

function Facts({ event }: { event: AuditEventResponse }) {
  const { at, actor, organizationId, target, outcome, error, address, requestId } = event;
  const who = actor.email ?? texts.audit.actors[actor.kind];
  const facts: readonly (readonly [string, ReactNode])[] = [
    [texts.audit.at, <Time value={at} />],
    [texts.audit.outcome, error === undefined ? texts.audit.outcomes[outcome] : texts.audit.refused(error)],
    [texts.audit.actor, actor.role ? `${who}, ${texts.roles[actor.role]}` : who],
    [texts.fields.organization, organizationId && <OrganizationName id={organizationId} />],
    [texts.audit.target, target && `${texts.audit.targets[target.kind]} ${target._id}`],
    [texts.audit.address, address],
    [texts.errors.requestId, requestId && <RequestId value={requestId} />],
  ];
  return (
    <Table variant="vertical" aria-label={texts.audit.details} layout="fixed">
      <Table.Tbody>
        {facts.map(
          ([label, fact]) =>
            fact !== undefined && (
              <Table.Tr key={label}>
                <Table.Th w={128} scope="row">
                  {label}
                </Table.Th>
                <Table.Td className="break">{fact}</Table.Td>
              </Table.Tr>
            ),
        )}
      </Table.Tbody>
    </Table>
  );
}

function RequestId({ value }: { value: string }) {
  return (
    <Group gap="xs">
      <Code className="break">{value}</Code>
      <Copy value={value} what={texts.errors.requestIdToCopy} />
    </Group>
  );
}

const format = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function Changes({ changes }: { changes: Readonly<Record<string, unknown>> }) {
  return (
    <Stack gap="xs">
      <Text fw={600}>{texts.audit.changes}</Text>
      <Table aria-label={texts.audit.changes} layout="fixed" withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={160}>{texts.audit.field}</Table.Th>
            <Table.Th>{texts.audit.newValue}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(changes).map(([field, value]) => (
            <Table.Tr key={field}>
              <Table.Td className="break">{field}</Table.Td>
              <Table.Td className="break" style={{ whiteSpace: 'pre-wrap' }}>
                {format(value)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
