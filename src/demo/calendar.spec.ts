import { atHour, isWellOn, liveGameTimes, pastGames, seasonAround, upcomingGames } from './calendar.js';

const moments = ['2027-05-01T00:00:00Z', '2027-05-01T23:59:59.999Z', '2028-02-29T12:34:56Z', '2026-12-31T18:03:00Z'];

describe.each(moments)('the demo calendar at %s', (moment) => {
  const now = new Date(moment);

  it('has past games that are over and upcoming ones that have not begun, all within the season', () => {
    const season = seasonAround(now);
    const past = pastGames(now);
    const upcoming = upcomingGames(now);
    expect([past.length, upcoming.length]).toEqual([6, 7]);
    for (const { startDate } of past) expect(startDate.getTime() + 60 * 60_000).toBeLessThan(now.getTime());
    for (const { startDate } of upcoming) expect(startDate.getTime()).toBeGreaterThan(now.getTime());
    for (const { startDate, home, away } of [...past, ...upcoming]) {
      expect(home).not.toBe(away);
      expect(startDate > season.startDate && startDate < season.endDate).toBe(true);
    }
  });

  it('has a live game that is well on', () => {
    const { startDate, endDate } = liveGameTimes(now);
    const game = { startDate: startDate.toISOString(), endDate: endDate.toISOString() };
    const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
    expect(isWellOn(game, now)).toBe(true);
    expect(isWellOn(game, later(30))).toBe(false);
    expect(isWellOn(game, later(120))).toBe(false);
    expect(isWellOn(game, later(-60))).toBe(false);
  });
});

describe('the demo season', () => {
  it.each([
    ['2026-12-31T18:03:00Z', 'Winter 2027'],
    ['2027-01-01T00:00:00Z', 'Winter 2027'],
    ['2027-03-01T00:00:00Z', 'Spring 2027'],
    ['2027-08-31T00:00:00Z', 'Summer 2027'],
    ['2027-11-30T00:00:00Z', 'Fall 2027'],
  ])('is at %s named %s', (moment, name) => {
    expect(seasonAround(new Date(moment)).name).toBe(name);
  });

  it('counts days in UTC', () => {
    expect(atHour(new Date('2027-05-01T23:30:00Z'), 1, 18)).toEqual(new Date('2027-05-02T18:00:00Z'));
  });
});
