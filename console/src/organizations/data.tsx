import { Anchor, Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { countOrganizationRecordsQuery } from '../api/generated/@tanstack/react-query.gen';
import { searchOrganizationRecords } from '../api/generated/sdk.gen';
import type {
  ErasedPlayerResponse,
  FoundPlayerResponse,
  FoundRecordsResponse,
  OrganizationResponse,
  ScheduleResponse,
} from '../api/generated/types.gen';
import { actionsColumn, type Column, DataTable, Loaded, type TableProps } from '../components/list';
import { formatCount } from '../components/number';
import { Section } from '../components/page';
import { ZonedTime } from '../components/time';
import { Empty, Failure, Icon } from '../components/ui';
import { EraseOrganization } from './erase-organization';
import { History } from './history';
import { ImportFile } from './import-file';
import { Mentions } from './mentions';
import { actionsOf, type Player } from './player-actions';
import { type AnyRecord, nameOf, RecordDrawer } from './record-drawer';

/** Single records of an organization. There is no list, so that nobody browses players. */
export function Data({ organization, search }: { organization: OrganizationResponse; search?: string }) {
  const path = { organizationId: organization._id };
  const counts = useQuery(countOrganizationRecordsQuery({ path }));
  return (
    <Stack gap="xl">
      <Section title="Records">
        <Loaded query={counts}>
          {({ data }) => <Text size="sm">{`${inWords(data)}${organization.isSandbox ? reset : ''}`}</Text>}
        </Loaded>
        <Search path={path} id={search} />
      </Section>
      <ImportFile organizationId={organization._id} />
      <EraseOrganization organization={organization} />
    </Stack>
  );
}

const reset = '. A test key that may reset the sandbox fills it with a demo league: POST /sandbox/reset.';

const inWords = ({ teams, players, schedules }: Record<keyof FoundRecordsResponse, number>) =>
  [formatCount(teams, 'team'), formatCount(players, 'player'), formatCount(schedules, 'schedule')].join(', ');

/** The URL does not keep the text: it can be the name of a child, and a reload would search again. A link can have an ID. */
function Search({ path, id = '' }: { path: { organizationId: string }; id?: string }) {
  const [text, setText] = useState(id);
  const [erased, setErased] = useState<ErasedPlayerResponse>();
  const input = useRef<HTMLInputElement>(null);
  // A change, because it writes to the audit log: a query would be repeated whenever the page reads its data again.
  const {
    mutate,
    reset,
    data,
    variables = '',
    error,
    isPending,
  } = useMutation({
    mutationFn: (search: string) => searchOrganizationRecords({ path, query: { search } }),
  });
  const find = (search: string) => {
    setText(search);
    mutate(search);
  };
  const clear = (response: ErasedPlayerResponse) => {
    setErased(response);
    setText('');
    reset();
    input.current?.focus();
  };
  return (
    <Stack gap="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate(text.trim());
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            ref={input}
            type="search"
            flex="1 1 240px"
            maw={480}
            label="Search records"
            description="An ID, an external ID, or the beginning of a name or title; of players, also of each word of the name, or of the email. Each player found is recorded in the audit log."
            leftSection={<Icon name="search" />}
            maxLength={255}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" loading={isPending} disabled={text.trim() === ''}>
            Search
          </Button>
        </Group>
      </form>
      {erased && <Mentions mentions={erased.mentions} onOpen={find} />}
      {error && <Failure error={error} />}
      <Text role="status" size="sm">
        {data && foundText(data.data)}
      </Text>
      {data && <Found found={data.data} absent={{ ...path, _id: variables, name: variables }} onErased={clear} />}
    </Stack>
  );
}

/** How many records of a kind the server returns at most. */
const maxFound = 10;

function foundText({ teams, players, schedules }: FoundRecordsResponse): string {
  const lengths = { teams: teams.length, players: players.length, schedules: schedules.length };
  const isCut = Object.values(lengths).some((length) => length >= maxFound);
  return `Found: ${inWords(lengths)}.${isCut ? ` Only the first ${maxFound} of a kind: type more of the name.` : ''}`;
}

interface FoundProps {
  found: FoundRecordsResponse;
  /** What was searched, as a player that is deleted or erased. */
  absent: Player;
  onErased: (response: ErasedPlayerResponse) => void;
}

function Found({ found, absent, onErased }: FoundProps) {
  const [record, setRecord] = useState<AnyRecord>();
  const { teams, players, schedules } = found;
  const columns = columnsWith(setRecord);
  const actions = actionsColumn((player: Player) => [player.name, ...actionsOf(player, onErased)]);
  const actionsOfShown = players.filter((each) => each === record).flatMap((player) => actionsOf(player, onErased));
  return (
    <>
      {teams.length + players.length + schedules.length === 0 && <Nothing absent={absent} onErased={onErased} />}
      <Results label="Teams" columns={columns} rows={teams} />
      <Results label="Players" columns={[...columns, team, actions]} rows={players} />
      <Results label="Schedules" columns={[...columns, start]} rows={schedules} />
      <RecordDrawer record={record} actions={actionsOfShown} onClose={() => setRecord(undefined)} />
    </>
  );
}

/** Offers the history of a deleted record, and to export and erase a deleted player, who is not found, by the ID. */
function Nothing({ absent, onErased }: Omit<FoundProps, 'found'>) {
  const [kind, setKind] = useState<(typeof kinds)[number]>();
  const { _id: id, organizationId } = absent;
  const isId = /^[0-9a-f]{24}$/i.test(id);
  const hint = isId
    ? 'If it is the ID of a deleted record, its history says who deleted it. What is still stored about a deleted player can be exported and erased.'
    : 'Type a whole ID, or the beginning of a name. Deleted records are not found.';
  const histories = kinds.map((each) => ({ label: `View ${each} history`, onClick: () => setKind(each) }));
  return (
    <>
      <Empty
        text={['Nothing found', hint]}
        actions={isId ? [...histories, ...actionsOf(absent, onErased)] : undefined}
      />
      <Drawer opened={kind !== undefined} onClose={() => setKind(undefined)} title={`History of ${kind} ${id}`}>
        {kind && <History path={{ organizationId, kind, id }} />}
      </Drawer>
    </>
  );
}

const kinds = ['team', 'player', 'schedule'] as const;

function Results<Row extends AnyRecord>(table: Omit<TableProps<Row>, 'rowKey'>) {
  if (table.rows.length === 0) return null;
  return (
    <Section title={table.label}>
      <DataTable {...table} rowKey={({ _id }) => _id} />
    </Section>
  );
}

const team: Column<FoundPlayerResponse> = ['Team', ({ teamName = '–' }) => <span className="break">{teamName}</span>];

const start: Column<ScheduleResponse> = [
  'Start',
  ({ startDate, timeZone }) => <ZonedTime value={startDate} zone={timeZone} />,
];

const columnsWith = (open: (record: AnyRecord) => void): Column<AnyRecord>[] => [
  [
    'Name',
    (record) => (
      <Anchor component="button" ta="left" fw={600} className="break" onClick={() => open(record)}>
        {nameOf(record)}
      </Anchor>
    ),
  ],
  ['ID', ({ _id }) => <span className="break">{_id}</span>],
  ['External ID', ({ externalId }) => <span className="break">{externalId ?? '–'}</span>],
];
