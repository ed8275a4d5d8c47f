/** The demo season as it lies around one moment. A team is named by its place in the league. */

const minute = 60_000;
const day = 24 * 60 * minute;
const daysBehind = 42;
const daysAhead = 70;

/** How long a demo game takes, in minutes; and how much is over when it is found live. */
export const gameMinutes = 60;
const minutesPlayed = 10;
/** Who starts the server wants to look at the live game for a while. */
const minutesLeftAtLeast = 30;

/** A game between two teams of the league. */
export interface Fixture {
  readonly home: number;
  readonly away: number;
  readonly startDate: Date;
}

/** Everybody meets everybody in three rounds. */
const rounds = [
  [
    [0, 2],
    [1, 3],
  ],
  [
    [0, 3],
    [2, 1],
  ],
  [
    [1, 0],
    [3, 2],
  ],
] as const;

/** Who plays in the live game. */
export const liveTeams = { home: 0, away: 1 } as const;

/** The season's name and bounds. */
export function seasonAround(now: Date): { name: string; startDate: Date; endDate: Date } {
  const quarter = Math.floor(((now.getUTCMonth() + 1) % 12) / 3);
  const name = ['Winter', 'Spring', 'Summer', 'Fall'][quarter] ?? '';
  // A winter belongs to the year in which it ends.
  const year = now.getUTCFullYear() + (now.getUTCMonth() === 11 ? 1 : 0);
  return { name: `${name} ${year}`, startDate: atHour(now, -daysBehind, 0), endDate: atHour(now, daysAhead, 0) };
}

/** When the live game begins and ends so that it has begun a little while ago. */
export function liveGameTimes(now: Date): { startDate: Date; endDate: Date } {
  const step = 5 * minute;
  const startDate = new Date(Math.floor((now.getTime() - minutesPlayed * minute) / step) * step);
  return { startDate, endDate: new Date(startDate.getTime() + gameMinutes * minute) };
}

/** Whether a game is on, and for long enough to be looked at. */
export function isWellOn(game: { readonly startDate: string; readonly endDate: string }, now: Date): boolean {
  const left = Date.parse(game.endDate) - now.getTime();
  return Date.parse(game.startDate) <= now.getTime() && left >= minutesLeftAtLeast * minute;
}

/** The games of the last three weeks, the earliest first. */
export function pastGames(now: Date): Fixture[] {
  return [-21, -14, -7].flatMap((days, round) => roundOn(now, days, round));
}

/** The other game of today's round, and the rounds of the weeks to come. */
export function upcomingGames(now: Date): Fixture[] {
  const today = { home: 3, away: 2, startDate: new Date(liveGameTimes(now).startDate.getTime() + 90 * minute) };
  return [today, ...[7, 14, 21].flatMap((days, round) => roundOn(now, days, round))];
}

/** A moment of another day, at a full hour UTC. */
export function atHour(now: Date, days: number, hour: number): Date {
  return new Date(Math.floor(now.getTime() / day) * day + days * day + hour * 60 * minute);
}

function roundOn(now: Date, days: number, round: number): Fixture[] {
  return (rounds[round] ?? []).map(([home, away], index) => ({
    home,
    away,
    startDate: atHour(now, days, 17 + 2 * index),
  }));
}
