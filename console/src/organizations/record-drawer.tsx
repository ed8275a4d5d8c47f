import { Drawer, type DrawerProps, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getOrganizationSeasonQuery, searchOrganizationRecordsQuery } from '../api/generated/@tanstack/react-query.gen';
import type { ChangedBy, FoundPlayerResponse, ScheduleResponse, TeamResponse } from '../api/generated/types.gen';
import { Facts, factsOf } from '../components/facts';
import { RecordLink } from '../components/record-link';
import { Time, When } from '../components/time';
import { ActionButtons, LinkAnchor, type RowAction } from '../components/ui';

export type AnyRecord = TeamResponse | FoundPlayerResponse | ScheduleResponse;

export const nameOf = (record: AnyRecord): string => ('eventTitle' in record ? record.eventTitle : record.name);

type PanelProps = Pick<DrawerProps, 'onClose'> & { record: AnyRecord | undefined; actions: RowAction[] };

/** Everything that keys read of a record, and what can be done with it. */
export function RecordDrawer({ record, actions, onClose }: PanelProps) {
  // Escape closes a dialog that is open above the panel, and not the panel.
  const close = () => document.querySelector('[role=dialog] form') ?? onClose();
  return (
    <Drawer opened={record !== undefined} onClose={close} title={record && nameOf(record)}>
      {record && <Details record={record} />}
      <Group gap="xs" mt="lg">
        <ActionButtons actions={actions} />
      </Group>
    </Drawer>
  );
}

function Details({ record }: { record: AnyRecord }) {
  const { _id, organizationId, revision, changedBy, createdAt, updatedAt, ...fields } = record;
  const team = useTeam(record);
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
          ['Season', team && <SeasonLink organizationId={organizationId} seasonId={team.season} />],
          ['Revision', revision],
          ['Last change', <LastChange at={updatedAt} by={changedBy} />],
          ['Created', <Time value={createdAt} />],
          // The audit has no changes of teams.
          ['Audit log', 'teamId' in record ? auditLink : undefined],
        ]}
      />
      <Facts label="Fields" facts={factsOf(fields)} />
    </Stack>
  );
}

/** Returns a team, or the team that a player or a schedule belongs to. */
function useTeam(record: AnyRecord): TeamResponse | undefined {
  const { organizationId } = record;
  const teamId = 'teamId' in record ? record.teamId : '';
  const query = searchOrganizationRecordsQuery({ path: { organizationId }, query: { search: teamId } });
  const found = useQuery({ ...query, enabled: teamId !== '' });
  return 'teamId' in record ? found.data?.data.teams.find(({ _id }) => _id === teamId) : record;
}

function SeasonLink(path: { organizationId: string; seasonId: string }) {
  const { organizationId, seasonId: id } = path;
  const season = useQuery(getOrganizationSeasonQuery({ path })).data?.data;
  return <RecordLink kind="season" id={id} organizationId={organizationId} name={season?.name ?? id} />;
}

function LastChange({ at, by }: { at: string; by: ChangedBy | undefined }) {
  const who = { key: `the key ${by?.name} (${by?.keyPrefix}…)`, admin: 'an admin', system: 'the server' };
  return <When time={at} who={by && who[by.type]} />;
}
