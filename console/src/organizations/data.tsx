import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { countOrganizationRecordsQuery } from '../api/generated/@tanstack/react-query.gen';
import { erasePlayer, exportPlayer, searchOrganizationRecords } from '../api/generated/sdk.gen';
import type {
  ErasedPlayerResponse,
  FoundPlayerResponse,
  FoundRecordsResponse,
  OrganizationResponse,
} from '../api/generated/types.gen';
import { download } from '../components/csv';
import { withConfirmation } from '../components/dialog';
import { actionsColumn, type Column, DataTable, Loaded, type TableProps } from '../components/list';
import { formatCount } from '../components/number';
import { Section } from '../components/page';
import { Empty, Failure, Icon } from '../components/ui';
import { EraseOrganization } from './erase-organization';
import { Mentions } from './mentions';
import { type AnyRecord, nameOf, RecordDrawer } from './record-drawer';

/** Single records of an organization. There is no list, so that nobody browses players. */
export function Data({ organization, search }: { organization: OrganizationResponse; search?: string }) {
  const path = { organizationId: organization._id };
  const counts = useQuery(countOrganizationRecordsQuery({ path }));
  return (
    <Stack gap="xl">
      <Section title="Records">
        <Loaded query={counts}>{({ data }) => <Text size="sm">{inWords(data)}</Text>}</Loaded>
        <Search path={path} id={search} />
      </Section>
      <EraseOrganization organization={organization} />
    </Stack>
  );
}

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
      <Results label="Schedules" columns={columns} rows={schedules} />
      <RecordDrawer record={record} actions={actionsOfShown} onClose={() => setRecord(undefined)} />
    </>
  );
}

/** Offers to export and erase a deleted player, who is not found, by the ID. */
function Nothing({ absent, onErased }: Omit<FoundProps, 'found'>) {
  const isId = /^[0-9a-f]{24}$/i.test(absent._id);
  const hint = isId
    ? 'If it is the ID of a deleted player, what is still stored can be exported and erased.'
    : 'Type a whole ID, or the beginning of a name. Deleted records are not found.';
  return <Empty text={['Nothing found', hint]} actions={isId ? actionsOf(absent, onErased) : undefined} />;
}

function Results<Row extends AnyRecord>(table: Omit<TableProps<Row>, 'rowKey'>) {
  if (table.rows.length === 0) return null;
  return (
    <Section title={table.label}>
      <DataTable {...table} rowKey={({ _id }) => _id} />
    </Section>
  );
}

const team: Column<FoundPlayerResponse> = ['Team', ({ teamName = '–' }) => <span className="break">{teamName}</span>];

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

type Player = Pick<FoundPlayerResponse, '_id' | 'name' | 'organizationId'>;

/** Returns what can be done with a player, deleted or not. */
function actionsOf({ _id: playerId, name, organizationId }: Player, onErased: FoundProps['onErased']) {
  const path = { playerId };
  return [
    withConfirmation({
      label: 'Export player',
      hint: 'Downloads everything that is stored about the player as a JSON file. The audit log records it.',
      notice: 'The player was exported.',
      subject: name,
      isTyped: true,
      send: async () => {
        const text = JSON.stringify(await exportPlayer({ path, query: { organizationId } }), null, 2);
        download(`player-${playerId}.json`, 'application/json', text);
      },
    }),
    withConfirmation({
      label: 'Erase player',
      hint: `Erases the player, and the name in all statistics, whose numbers stay. You can’t undo this. Note the ID, ${playerId}, and have the organization delete the player in its own system first; otherwise a synchronization can create it again. A deleted player is found only by the ID.`,
      notice: 'The player is erased. Statistics stay, without the name. The audit log and backups stay, too.',
      subject: name,
      isDangerous: true,
      send: () => erasePlayer({ path, body: { organizationId } }).then(onErased),
    }),
  ];
}
