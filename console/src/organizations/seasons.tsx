import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listOrganizationSeasonsQuery } from '../api/generated/@tanstack/react-query.gen';
import { createAnySeason, getOrganizationSeason, updateAnySeason } from '../api/generated/sdk.gen';
import type { SeasonResponse } from '../api/generated/types.gen';
import { saveChanges } from '../api/save-changes';
import { openForm } from '../components/dialog';
import { actionsColumn, type Column, pageSize, QueryList } from '../components/list';
import { RecordLink } from '../components/record-link';
import { fromInput, Time, toInput } from '../components/time';
import { Note } from '../components/ui';
import { useFilters } from '../search';

const columnsOf = (organizationId: string): Column<SeasonResponse>[] => [
  [
    'Name',
    ({ _id: id, name, organizationId: owner }) => (
      <>
        <RecordLink kind="season" id={id} organizationId={organizationId} name={name} />
        {owner === undefined && <Note>Shared with all organizations</Note>}
      </>
    ),
  ],
  ['Start', ({ startDate }) => <Time value={startDate} />],
  ['End', ({ endDate }) => <Time value={endDate} />],
];

export function Seasons({ organizationId }: { organizationId: string }) {
  const { page } = useFilters().filters;
  const list = useQuery(listOrganizationSeasonsQuery({ path: { organizationId }, query: { page, limit: pageSize } }));
  const edit = (season?: SeasonResponse) => {
    const isShared = season && season.organizationId === undefined;
    openForm<string>({
      title: season ? 'Edit season' : 'Create season',
      submitLabel: season ? 'Save changes' : 'Create season',
      notice: season ? 'The season was saved.' : 'The season was created.',
      ...(isShared && { hint: 'All organizations share this season. They all see the change.' }),
      fields: {
        name: { label: 'Name', value: season?.name },
        startDate: { label: 'Start', type: 'datetime-local', value: toInput(season?.startDate) },
        endDate: { label: 'End', type: 'datetime-local', value: toInput(season?.endDate) },
        ...(season ? {} : { shared: { label: 'Shared with all organizations', type: 'checkbox' } }),
      },
      send: ({ name = '', startDate, endDate, shared = '' }) => {
        const start = fromInput(startDate, season?.startDate) ?? '';
        const end = fromInput(endDate, season?.endDate) ?? '';
        const body = { name, startDate: start, endDate: end };
        if (!season) return createAnySeason({ body: shared === '' ? { ...body, organizationId } : body });
        const { _id: id } = season;
        return saveChanges({
          ...{ id, shown: season, body, reopen: edit },
          read: () => getOrganizationSeason({ path: { organizationId, seasonId: id } }),
          send: (request) => updateAnySeason({ path: { id }, ...request }),
        });
      },
    });
  };
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={() => edit()}>Create season</Button>
      </Group>
      <QueryList
        label="Seasons"
        query={list}
        columns={[
          ...columnsOf(organizationId),
          actionsColumn((season: SeasonResponse) => [
            season.name,
            { label: 'Edit season', onClick: () => edit(season) },
          ]),
        ]}
        rowKey={({ _id }) => _id}
        isPaged
        empty={['No seasons yet', 'Every team needs a season. Create one, or use a shared season.']}
      />
    </Stack>
  );
}
