import { useQuery } from '@tanstack/react-query';
import { getOrganizationStandingsQuery } from '../api/generated/@tanstack/react-query.gen';
import type { StandingResponse } from '../api/generated/types.gen';
import { type Column, QueryList } from '../components/list';
import { Note } from '../components/ui';

/** A season of an organization, as in the path of its routes. */
export interface SeasonPath {
  organizationId: string;
  seasonId: string;
}

export const useStandings = (path: SeasonPath) => useQuery(getOrganizationStandingsQuery({ path }));

const columns: Column<StandingResponse>[] = [
  [
    'Team',
    ({ rank, teamName, externalId }) => (
      <>
        <strong className="break">
          {rank}. {teamName}
        </strong>
        <Note>{externalId}</Note>
      </>
    ),
  ],
  ['Played', ({ played }) => played, 'numeric'],
  ['Won', ({ wins }) => wins, 'numeric'],
  ['Lost', ({ losses }) => losses, 'numeric'],
  ['Tied', ({ ties }) => ties, 'numeric'],
  ['Forfeited', ({ forfeits }) => forfeits, 'numeric'],
  ['Points', ({ pointsFor, pointsAgainst }) => `${pointsFor}–${pointsAgainst}`, 'numeric'],
  ['Difference', ({ pointDifference }) => pointDifference, 'numeric'],
  ['Win rate', ({ winPercentage }) => winPercentage?.toFixed(3) ?? '–', 'numeric'],
];

/** The teams of a season by rank, with the default tiebreakers. */
export function Standings({ path }: { path: SeasonPath }) {
  return (
    <QueryList
      label="Standings"
      query={useStandings(path)}
      columns={columns}
      rowKey={({ teamId }) => teamId}
      empty={['No teams yet', 'Teams that the organization creates for this season appear here.']}
    />
  );
}
