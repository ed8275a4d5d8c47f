import { Anchor, Drawer, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getOrganizationPlaceQuery, getOrganizationStandingsQuery } from '../api/generated/@tanstack/react-query.gen';
import {
  type StandingResponse,
  type StandingsRules,
  Tiebreaker,
  type TiedTeamResponse,
} from '../api/generated/types.gen';
import { labelsOf } from '../components/facts';
import { type Column, DataTable, Loaded, QueryList } from '../components/list';
import { RecordLink } from '../components/record-link';
import { Note } from '../components/ui';

/** A season of an organization, as in the path of its routes. */
export interface SeasonPath {
  organizationId: string;
  seasonId: string;
}

const criteria = labelsOf(Tiebreaker);

export const useStandings = (path: SeasonPath) => useQuery(getOrganizationStandingsQuery({ path }));

const columnsWith = (
  { organizationId }: SeasonPath,
  explain: (row: StandingResponse) => void,
): Column<StandingResponse>[] => [
  [
    'Team',
    ({ rank, teamId, teamName, externalId }) => (
      <>
        <RecordLink fw={600} kind="team" id={teamId} organizationId={organizationId} name={`${rank}. ${teamName}`} />
        <Note>{externalId}</Note>
      </>
    ),
  ],
  ['Played', ({ played }) => played, 'numeric'],
  ['Won', ({ wins }) => wins, 'numeric'],
  ['Lost', ({ losses }) => losses, 'numeric'],
  ['Tied', ({ ties }) => ties, 'numeric'],
  ['Forfeited', ({ forfeits }) => forfeits, 'numeric'],
  ['Scores', ({ pointsFor, pointsAgainst }) => `${pointsFor}–${pointsAgainst}`, 'numeric'],
  ['Difference', ({ pointDifference }) => pointDifference, 'numeric'],
  ['Win percentage', ({ winPercentage }) => winPercentage?.toFixed(3) ?? '–', 'numeric'],
  ['Points', ({ points }) => points, 'numeric'],
  [
    'Decided by',
    (row) =>
      row.decidedBy ? (
        <Anchor component="button" size="sm" onClick={() => explain(row)}>
          {criteria[row.decidedBy]}
        </Anchor>
      ) : (
        '–'
      ),
    'nowrap',
  ],
];

/** The teams of a season by rank, with the rules of the season, and why each is above the next one. */
export function Standings({ path, rules }: { path: SeasonPath; rules: StandingsRules | undefined }) {
  const [chosen, setChosen] = useState<StandingResponse>();
  return (
    <>
      <Text size="sm" c="dimmed">
        {rules ? rulesInWords(rules) : 'Default rules'}
      </Text>
      <QueryList
        label="Standings"
        query={useStandings(path)}
        columns={columnsWith(path, setChosen)}
        rowKey={({ teamId }) => teamId}
        isScrolling
        empty={['No teams yet', 'Teams that the organization creates for this season appear here.']}
      />
      <Drawer opened={chosen !== undefined} onClose={() => setChosen(undefined)} title={chosen?.teamName}>
        {chosen && <Place path={{ ...path, teamId: chosen.teamId }} />}
      </Drawer>
    </>
  );
}

function rulesInWords({ tiebreakers, differenceCap, winPoints, tiePoints, forfeitScore }: StandingsRules): string {
  const rules = [
    tiebreakers && `Order: ${tiebreakers.map((each) => criteria[each].toLowerCase()).join(', ')}`,
    differenceCap && `Difference of a game: at most ${differenceCap}`,
    winPoints !== undefined && `Points of a win: ${winPoints}`,
    tiePoints !== undefined && `Points of a tie: ${tiePoints}`,
    forfeitScore && `Forfeits without scores: ${forfeitScore.winner}–${forfeitScore.loser}`,
  ];
  return rules.filter(Boolean).join('. ') || 'Default rules';
}

/** The teams that were equal, with the values that were compared. */
function Place({ path }: { path: SeasonPath & { teamId: string } }) {
  const format = (value: number | null | undefined) => (value == null ? '–' : Math.round(value * 1_000) / 1_000);
  const columns = (names: string[]): Column<TiedTeamResponse>[] => [
    ['Team', ({ rank, teamName }) => <span className="break">{`${rank}. ${teamName}`}</span>],
    ...names.map((name): Column<TiedTeamResponse> => [
      criteria[name as Tiebreaker],
      ({ values }) => format(values[name]),
      'numeric',
    ]),
  ];
  return (
    <Loaded query={useQuery(getOrganizationPlaceQuery({ path }))}>
      {({ data: { teams } }) => (
        <DataTable
          label="Equal teams"
          columns={columns(Object.keys(teams[0]?.values ?? {}))}
          rows={teams}
          rowKey={({ teamId }) => teamId}
          isScrolling
        />
      )}
    </Loaded>
  );
}
