import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listOrganizationSchedulesQuery } from '../api/generated/@tanstack/react-query.gen';
import { type ScheduleResponse, ScheduleStatus } from '../api/generated/types.gen';
import { labelsOf } from '../components/facts';
import { FilterSelect } from '../components/filters';
import { type Column, pageSize, QueryList } from '../components/list';
import { Section } from '../components/page';
import { ZonedTime } from '../components/time';
import { Note, Status } from '../components/ui';
import { RecordDrawer } from '../organizations/record-drawer';
import { type SeasonPath, useStandings } from './standings';

const statusLabels = labelsOf(ScheduleStatus);

const statusTones = {
  scheduled: 'neutral',
  postponed: 'warning',
  cancelled: 'bad',
  final: 'good',
  forfeited: 'warning',
} as const satisfies Record<ScheduleStatus, string>;

const route = getRouteApi('/organizations/$organizationId/seasons/$seasonId');

/** The games whose owning team plays in the season. */
export function Games({ path }: { path: SeasonPath }) {
  const { status, page } = route.useSearch();
  const filter = { eventType: 'game', status: status && [status], page, limit: pageSize } as const;
  const list = useQuery(listOrganizationSchedulesQuery({ path, query: filter }));
  const teams = useStandings(path).data?.data;
  const names = new Map(teams?.map(({ teamId, teamName }) => [teamId, teamName]));
  const [game, setGame] = useState<ScheduleResponse>();
  return (
    <Section
      title="Games"
      aside={<FilterSelect name="status" aria-label="Status of the games" all="All games" labels={statusLabels} />}
    >
      <QueryList
        label="Games"
        query={list}
        columns={columnsWith(names, setGame, list.data?.data)}
        rowKey={({ _id }) => _id}
        isPaged
        empty={['No games yet', 'Games of the teams of this season appear here.']}
        noMatch={['No matching games', 'No game has this status. Show all games to see the others.', 'Show all games']}
      />
      <RecordDrawer record={game} actions={[]} onClose={() => setGame(undefined)} />
    </Section>
  );
}

type TeamNames = ReadonlyMap<string, string>;

const columnsWith = (
  names: TeamNames,
  open: (game: ScheduleResponse) => void,
  games: ScheduleResponse[] = [],
): Column<ScheduleResponse>[] => [
  [
    'Game',
    (game) => (
      <>
        <Teams game={game} names={names} onOpen={() => open(game)} />
        {games.some((other) => isSame(game, other)) && <Note>Another game of these teams starts at the same time</Note>}
      </>
    ),
  ],
  ['Start', ({ startDate, timeZone }) => <ZonedTime value={startDate} zone={timeZone} />],
  ['Score', ({ teamOneScore, teamTwoScore }) => (teamOneScore === undefined ? '–' : `${teamOneScore}–${teamTwoScore}`)],
  ['Status', (game) => <GameStatus game={game} names={names} />],
  ['External ID', ({ externalId }) => <span className="break">{externalId ?? '–'}</span>],
];

/** Returns whether two games have the same teams, on either side, and start: perhaps each team has entered it. */
function isSame(game: ScheduleResponse, other: ScheduleResponse): boolean {
  const sidesOf = ({ teamOneId, teamTwoId }: ScheduleResponse) => [teamOneId, teamTwoId];
  const isSwapped = String(sidesOf(game).reverse()) === String(sidesOf(other));
  const isEqual = isSwapped || String(sidesOf(game)) === String(sidesOf(other));
  return game._id !== other._id && game.teamTwoId !== undefined && game.startDate === other.startDate && isEqual;
}

interface GameProps {
  game: ScheduleResponse;
  names: TeamNames;
}

/** The teams, the title if it says something else, and why the standings leave the game out. */
function Teams({ game, names, onOpen }: GameProps & { onOpen: () => void }) {
  const { teamOneId, teamTwoName, eventTitle } = game;
  const teamOneName = names.get(teamOneId);
  // Standings have no archived teams that never played.
  const teams = teamOneName === undefined ? eventTitle : `${teamOneName} vs ${teamTwoName}`;
  const reason = findReason(game, names);
  return (
    <>
      <Anchor component="button" ta="left" fw={600} className="break" onClick={onOpen}>
        {teams}
      </Anchor>
      {eventTitle !== teams && <Note>{eventTitle}</Note>}
      {reason && <Note>{`${reason}: does not count`}</Note>}
    </>
  );
}

/** Returns why a game does not count, or undefined. */
function findReason({ isTestGame, isScrimmage, teamTwoId, status }: ScheduleResponse, names: TeamNames) {
  if (isTestGame) return 'Test game';
  if (isScrimmage) return 'Scrimmage';
  if (teamTwoId === undefined) return 'Guest opponent';
  // Standings have every team of the season with a decided game.
  const isDecided = status === 'final' || status === 'forfeited';
  return isDecided && names.size > 0 && !names.has(teamTwoId) ? 'Opponent of another season' : undefined;
}

function GameStatus({ game: { status, forfeitedBy, teamOneId, teamTwoName }, names }: GameProps) {
  const sides = { teamOne: names.get(teamOneId) ?? 'the owning team', teamTwo: teamTwoName, both: 'both teams' };
  return (
    <>
      <Status tone={statusTones[status]}>{statusLabels[status]}</Status>
      {forfeitedBy && <Note>{`by ${sides[forfeitedBy]}`}</Note>}
    </>
  );
}
