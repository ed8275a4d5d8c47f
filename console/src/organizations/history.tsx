import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listAuditEventsQuery } from '../api/generated/@tanstack/react-query.gen';
import { listOrganizationHistory } from '../api/generated/sdk.gen';
import {
  AuditAction,
  type ChangedBy,
  type FieldChange,
  type HistoryAction,
  type HistoryEntry,
  type ListOrganizationHistoryData,
} from '../api/generated/types.gen';
import { formatValue, toWords } from '../components/facts';
import { type Column, DataTable, LoadMore, Loaded } from '../components/list';
import { Time } from '../components/time';
import { usePages } from '../components/use-pages';
import { Empty, LinkAnchor } from '../components/ui';
import { SeasonLink, TeamName } from './record-names';

type HistoryPath = ListOrganizationHistoryData['path'];

interface HistoryProps {
  path: HistoryPath;
  /** The time zone of the values, instead of the viewer's. */
  zone?: string | undefined;
}

const actionLabels = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted',
  moved: 'Moved to another team',
} as const satisfies Record<HistoryAction, string>;

/** The changes of a record, newest first: when, by whom, and the values before and after. */
export function History({ path, zone }: HistoryProps) {
  const { query, more } = usePages(
    ['history', path],
    (page, signal) => listOrganizationHistory({ path, query: page, signal }),
    // Read once each time it is opened, because the audit log records every read of a player.
    { placeholderData: undefined, staleTime: Infinity, gcTime: 0 },
  );
  return (
    <Stack gap="lg">
      <Loaded query={query}>
        {({ data: entries }) =>
          entries.length === 0 ? (
            <Empty text={['No changes', 'Changes of the last 90 days appear here, about a second after them.']} />
          ) : (
            entries.map((entry) => <Entry key={entry.revision} entry={entry} path={path} zone={zone} />)
          )
        }
      </Loaded>
      <LoadMore {...more} />
    </Stack>
  );
}

function Entry({ entry, path, zone }: HistoryProps & { entry: HistoryEntry }) {
  const { revision, at, changedBy, action, changes } = entry;
  const show = ({ field }: FieldChange, value: FieldChange['to']) => {
    const { organizationId } = path;
    if (typeof value !== 'string') return formatValue(value);
    if (field === 'season') return <SeasonLink organizationId={organizationId} seasonId={value} />;
    if (isTeam(field)) return <TeamName organizationId={organizationId} teamId={value} />;
    return formatValue(value, zone);
  };
  const before: Column<FieldChange> = [
    'Before',
    (change) => <Value>{'from' in change ? show(change, change.from) : 'Unknown'}</Value>,
  ];
  return (
    <Stack gap="xs" component="section" aria-label={`Revision ${revision}`}>
      <div>
        <Title order={3}>{actionLabels[action]}</Title>
        <Text size="sm" className="break">
          <Time value={at} as="second" />
          <Actor by={changedBy} at={at} path={path} />
        </Text>
      </div>
      {changes.length > 0 && (
        <DataTable
          label={`Changes of revision ${revision}`}
          columns={[
            ['Field', ({ field }) => <strong>{toWords(isTeam(field) ? field.slice(0, -2) : field)}</strong>],
            ...(action === 'created' ? [] : [before]),
            ['After', (change) => <Value>{show(change, change.to)}</Value>],
          ]}
          rows={changes}
          rowKey={({ field }) => field}
        />
      )}
    </Stack>
  );
}

const isTeam = (field: string) => /^team(One|Two)?Id$/.test(field);

const Value = Text.withProps({ size: 'sm', component: 'div', className: 'break', style: { whiteSpace: 'pre-wrap' } });

interface ActorProps {
  by: ChangedBy | undefined;
  at: string;
  path: HistoryPath;
}

/** Who changed a record, if it is known: a link to the key, or to the event of the person in the audit log. */
export function Actor({ by, at, path }: ActorProps) {
  if (by === undefined) return null;
  if (by.type === 'system') return ' by the server';
  if (by.type === 'admin') return <Admin at={at} path={path} />;
  return (
    <>
      {' by the key '}
      <LinkAnchor underline="always" to="/keys" search={{ search: by.keyPrefix }}>
        {by.name}
      </LinkAnchor>{' '}
      ({by.keyPrefix}…)
    </>
  );
}

/**
 * Changes of admins have no name: the person is that of the event in the audit log just before, if it is only one. A request
 * ends within 5 s, and clocks differ by at most 2 s.
 */
function Admin({ at, path: { organizationId, kind, id } }: Omit<ActorProps, 'by'>) {
  const timeAt = (milliseconds: number) => new Date(Date.parse(at) + milliseconds).toISOString();
  const events = kind === 'season' ? { targetId: id } : { organizationId, action: AuditAction.IMPORT_RECORDS };
  const search = { ...events, from: timeAt(-8_000), to: timeAt(2_001) };
  const found = useQuery(listAuditEventsQuery({ query: { ...search, limit: 100 } })).data?.data;
  const [email, ...others] = new Set(found?.map(({ actor }) => actor.email));
  return (
    <>
      {' by '}
      <LinkAnchor underline="always" to="/audit" search={search}>
        {others.length > 0 ? 'an admin' : (email ?? 'an admin')}
      </LinkAnchor>
    </>
  );
}
