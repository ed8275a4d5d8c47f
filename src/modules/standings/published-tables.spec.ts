import { runAtOnce } from '../../../test/support/steps.js';
import type { StandingsRules } from '../seasons/standings-rules.schema.js';
import { rankTeams } from './standings.rules.js';

/** Ranks the teams that are named in games such as `USA 39–0 France`, or with a forfeit `A - C teamOne`. */
function rank(games: readonly string[], rules: StandingsRules = {}) {
  const played = games.map((text) => {
    const [teamOneId = '', score = '', teamTwoId = '', forfeitedBy] = text.split(' ');
    const [teamOneScore = 0, teamTwoScore = 0] = score === '-' ? [] : score.split('–').map(Number);
    const sides = { teamOneId, teamTwoId, teamOneScore, teamTwoScore };
    return { ...sides, ...(forfeitedBy && { forfeitedBy: forfeitedBy as 'teamOne' }) };
  });
  const names = new Set(played.flatMap(({ teamOneId, teamTwoId }) => [teamOneId, teamTwoId]));
  const teams = [...names].map((name) => ({ id: name, name, isArchived: false }));
  return runAtOnce(rankTeams(teams, played, rules));
}

// Won, lost and tied games, points and difference, as published.
it.each([
  [
    '2021, women, group A: France before Spain after a tie of the two',
    'USA 39–0 France, USA 46–0 Spain, USA 46–12 Neutral, USA 54–13 Finland, France 12–12 Spain, France 25–7 Neutral, France 20–0 Finland, Spain 26–21 Neutral, Spain 57–13 Finland, Neutral 49–7 Finland',
    '1 USA 4-0-0 185:25 160, 2 France 2-1-1 57:58 -1, 3 Spain 2-1-1 95:92 3, 4 Neutral 1-3-0 89:104 -15, 5 Finland 0-4-0 33:180 -147',
  ],
  [
    '2024, men, group A',
    'USA 57–25 Spain, USA 52–6 Brazil, USA 49–14 Serbia, Spain 32–19 Brazil, Spain 45–24 Serbia, Brazil 26–19 Serbia',
    '1 USA 3-0-0 158:45 113, 2 Spain 2-1-0 102:100 2, 3 Brazil 1-2-0 51:103 -52, 4 Serbia 0-3-0 57:120 -63',
  ],
  [
    '2024, men, group B',
    'Mexico 50–27 Australia, Mexico 66–6 Chile, Mexico 72–6 Cameroon, Australia 33–8 Chile, Australia 68–0 Cameroon, Chile 36–0 Cameroon',
    '1 Mexico 3-0-0 188:39 149, 2 Australia 2-1-0 128:58 70, 3 Chile 1-2-0 50:99 -49, 4 Cameroon 0-3-0 6:176 -170',
  ],
])('the default rules reproduce a table of the world championships: %s', (_name, games, expected) => {
  const rows = rank(games.split(', ')).map((row) => {
    const { rank: place, teamName, wins, losses, ties, pointsFor, pointsAgainst, pointDifference } = row;
    return `${place} ${teamName} ${wins}-${losses}-${ties} ${pointsFor}:${pointsAgainst} ${pointDifference}`;
  });
  expect(rows).toEqual(expected.split(', '));
});

// The rules as the leagues publish them; the games are invented and worked by hand.
it.each<[string, StandingsRules, string[], string[]]>([
  [
    'NVA: the difference of each game is capped at 10',
    { tiebreakers: ['winPercentage', 'headToHead', 'pointDifference', 'strengthOfSchedule'], differenceCap: 10 },
    // Each has won one of two. With the cap, B has +9, A +2, D -2 and C -9; without, A +22 and B +16.
    ['A 33–3 C', 'D 8–0 A', 'B 17–0 D', 'C 7–6 B'],
    ['1 B', '2 A', '3 D', '4 C'],
  ],
  [
    'FlagPlus: head to head only between two teams',
    { tiebreakers: ['points', 'wins', 'headToHeadOfTwo', 'pointsAgainst', 'pointDifference', 'strengthOfSchedule'] },
    // A, B and C have each won two of four, A all against the others. Points against: A 40, B 16, C 14.
    ['A 7–0 B', 'A 7–0 C', 'B 7–0 C', 'D 20–0 A', 'D 20–0 A', 'B 1–0 D', 'D 9–0 B', 'C 1–0 D', 'C 1–0 D'],
    ['1 D', '2 C', '3 B', '4 A'],
  ],
  [
    'N Zone: who has forfeited is below before points against are compared',
    { tiebreakers: ['winPercentage', 'headToHead', 'forfeits', 'pointsAgainst'] },
    // Each has won half of the games. Points against: A 6 in two games, B 15 in two, C 14 in four.
    ['A 7–6 C', 'A - C teamOne', 'B 7–6 C', 'C 9–0 B'],
    ['1 C', '2 B', '3 A'],
  ],
  [
    'mtyb: head to head, then points against',
    { tiebreakers: ['winPercentage', 'headToHead', 'pointsAgainst', 'pointDifference'] },
    // Each has beaten one of the others. Points against: A 3, B 10, C 7.
    ['A 10–0 B', 'B 7–0 C', 'C 3–0 A'],
    ['1 A', '2 C', '3 B'],
  ],
  [
    'Atlanta: three points for a win and one for a tie',
    { tiebreakers: ['points', 'pointDifference'], winPoints: 3, tiePoints: 1 },
    // A has won one of two (3 points), B has tied two (2). Their win percentage is the same.
    ['A 7–0 C', 'D 7–0 A', 'B 3–3 C', 'B 3–3 D'],
    ['1 D', '2 A', '3 B', '4 C'],
  ],
])('the published rules order a season: %s', (_name, rules, games, expected) => {
  expect(rank(games, rules).map((row) => `${row.rank} ${row.teamName}`)).toEqual(expected);
});
