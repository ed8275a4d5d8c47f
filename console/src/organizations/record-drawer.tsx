import { Drawer, type DrawerProps, Group, Stack, Tabs } from '@mantine/core';
import type { FoundPlayerResponse, ScheduleResponse, TeamResponse } from '../api/generated/types.gen';
import { Facts, factsOf } from '../components/facts';
import { Time } from '../components/time';
import { ActionButtons, LinkAnchor, type RowAction } from '../components/ui';
import { Actor, History } from './history';
import { SeasonLink, useTeam } from './record-names';

export type AnyRecord = TeamResponse | FoundPlayerResponse | ScheduleResponse;

export const nameOf = (record: AnyRecord): string => ('eventTitle' in record ? record.eventTitle : record.name);

/** The time zone of a game: its times are shown as in the list of games. */
const zoneOf = (record: AnyRecord) => ('eventTitle' in record ? (record.timeZone ?? 'UTC') : undefined);

const pathOf = (record: AnyRecord) => {
  const { _id: id, organizationId } = record;
  const kind = 'eventTitle' in record ? 'schedule' : 'teamId' in record ? 'player' : 'team';
  return { organizationId, kind, id } as const;
};

type PanelProps = Pick<DrawerProps, 'onClose'> & { record: AnyRecord | undefined; actions: RowAction[] };

/** Everything that keys read of a record, what can be done with it, and its history. */
export function RecordDrawer({ record, actions, onClose }: PanelProps) {
  // Escape closes a dialog that is open above the panel, and not the panel.
  const close = () => document.querySelector('[role=dialog] form') ?? onClose();
  return (
    <Drawer opened={record !== undefined} onClose={close} title={record && nameOf(record)}>
      {record && (
        <Tabs key={record._id} defaultValue="details" keepMounted={false}>
          <Tabs.List mb="lg" aria-label="Sections of the record">
            <Tabs.Tab value="details">Details</Tabs.Tab>
            <Tabs.Tab value="history">History</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="details">
            <Details record={record} />
            <Group gap="xs" mt="lg">
              <ActionButtons actions={actions} />
            </Group>
          </Tabs.Panel>
          <Tabs.Panel value="history">
            <History path={pathOf(record)} zone={zoneOf(record)} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  );
}

function Details({ record }: { record: AnyRecord }) {
  const { _id, organizationId, revision, changedBy, createdAt, updatedAt, ...others } = record;
  // The team stands above, with its name.
  const fields = Object.entries(others).filter(([name]) => !/^team(Id|Name)$|^season$/.test(name));
  const own = useTeam({ organizationId, teamId: 'teamId' in record ? record.teamId : undefined });
  const team = 'teamId' in record ? own : record;
  const auditLink = (
    <LinkAnchor to="/audit" search={{ targetId: _id }}>
      Events about this record
    </LinkAnchor>
  );
  return (
    <Stack gap="lg">
      <Facts
        label="Record"
        facts={[
          ['ID', _id],
          ['Team', 'teamId' in record ? team?.name : undefined],
          ['Team ID', 'teamId' in record ? record.teamId : undefined],
          ['Season', team && <SeasonLink organizationId={organizationId} seasonId={team.season} />],
          ['Revision', revision],
          [
            'Last change',
            <>
              <Time value={updatedAt} />
              <Actor by={changedBy} at={updatedAt} path={pathOf(record)} />
            </>,
          ],
          ['Created', <Time value={createdAt} />],
          // The audit has no changes of teams.
          ['Audit log', 'teamId' in record ? auditLink : undefined],
        ]}
      />
      <Facts label="Fields" facts={factsOf(Object.fromEntries(fields), zoneOf(record))} />
    </Stack>
  );
}
