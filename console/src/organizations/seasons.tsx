import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listAllSeasonsQuery } from '../api/generated/@tanstack/react-query.gen';
import { createSeason, updateSeason } from '../api/generated/sdk.gen';
import type { SeasonResponse } from '../api/generated/types.gen';
import { openForm } from '../components/dialog';
import { actionsColumn, type Column, pageSize, type Paging, QueryList } from '../components/list';
import { fromInput, Time, toInput } from '../components/time';

const seasonColumns: Column<SeasonResponse>[] = [
  ['Name', ({ name }) => <strong className="break">{name}</strong>],
  ['Start', ({ startDate }) => <Time value={startDate} />],
  ['End', ({ endDate }) => <Time value={endDate} />],
];

export function Seasons({ organizationId, page, onPage }: { organizationId: string } & Paging) {
  const list = useQuery(listAllSeasonsQuery({ query: { organizationId, page, limit: pageSize } }));
  const edit = (season?: SeasonResponse) =>
    openForm({
      title: season ? 'Edit season' : 'Create season',
      submitLabel: season ? 'Save changes' : 'Create season',
      notice: season ? 'The season was saved.' : 'The season was created.',
      fields: {
        name: { label: 'Name', value: season?.name },
        startDate: { label: 'Start', type: 'datetime-local', value: toInput(season?.startDate) },
        endDate: { label: 'End', type: 'datetime-local', value: toInput(season?.endDate) },
      },
      send: ({ name, startDate, endDate }) => {
        const start = fromInput(startDate, season?.startDate) ?? '';
        const end = fromInput(endDate, season?.endDate) ?? '';
        const body = { name, startDate: start, endDate: end };
        if (season) return updateSeason({ path: { id: season._id }, body });
        return createSeason({ body: { ...body, organizationId } });
      },
    });
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={() => edit()}>Create season</Button>
      </Group>
      <QueryList
        label="Seasons"
        query={list}
        columns={[
          ...seasonColumns,
          actionsColumn((season: SeasonResponse) => [
            season.name,
            { label: 'Edit season', onClick: () => edit(season) },
          ]),
        ]}
        rowKey={({ _id }) => _id}
        page={page}
        onPage={onPage}
        empty={[
          'No seasons yet',
          'A team needs a season. Create one, unless the seasons that all organizations share are enough.',
        ]}
      />
    </Stack>
  );
}
