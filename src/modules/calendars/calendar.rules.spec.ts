import { hash } from 'node:crypto';
import fc from 'fast-check';
import ICAL from 'ical.js';
import { newRecordId, toRecordId } from '../../database/record.js';
import { runAtOnce } from '../../../test/support/steps.js';
import type { CalendarGame } from '../schedules/schedules.repository.js';
import { calendarFormat, formatCalendar, nearestGames } from './calendar.rules.js';

const start = new Date('2027-03-13T17:00:00Z');
const day = 24 * 60 * 60_000;

function game(fields: Partial<CalendarGame> = {}): CalendarGame {
  return {
    _id: newRecordId(),
    revision: 1,
    createdAt: new Date('2027-01-01T00:00:00Z'),
    updatedAt: new Date('2027-01-02T00:00:00Z'),
    deletedAt: null,
    startDate: start,
    endDate: new Date(start.getTime() + 30 * 60_000),
    eventTitle: 'Hawks vs Foxes',
    status: 'scheduled',
    ...fields,
  };
}

const format = (teamName: string, games: readonly CalendarGame[]) => runAtOnce(formatCalendar(teamName, games));

/** Reads a calendar with another library. */
function parse(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  const zones = calendar.getAllSubcomponents('vtimezone').map((component) => new ICAL.Timezone(component));
  const events = calendar.getAllSubcomponents('vevent').map((component) => {
    const at = (name: string) => {
      const property = component.getFirstProperty(name);
      const time = property?.getFirstValue() as ICAL.Time;
      const tzid = property?.getParameter('tzid');
      const zone = zones.find((one) => one.tzid === tzid) ?? ICAL.Timezone.utcTimezone;
      return { tzid, local: time.toString(), instant: new Date(fromZone(time, zone)) };
    };
    const text = (name: string) => component.getFirstPropertyValue(name);
    return { component, at, text };
  });
  return { calendar, zones, events };
}

function fromZone(time: ICAL.Time, zone: ICAL.Timezone): number {
  time.zone = zone;
  return time.toUnixTime() * 1_000;
}

const eventOf = (fields: Partial<CalendarGame>) => {
  const [event] = parse(format('Hawks', [game(fields)])).events;
  if (event === undefined) throw new Error('There is no event');
  return event;
};

describe('formatCalendar', () => {
  it('names the calendar and says when to read it again', () => {
    const { calendar } = parse(format('Hawks, "12U"; \\ blue', []));
    const values = ['version', 'method', 'x-wr-calname', 'refresh-interval'].map((name) =>
      String(calendar.getFirstPropertyValue(name)),
    );
    // The library does not decode unknown properties.
    expect(values).toEqual(['2.0', 'PUBLISH', 'Hawks\\, "12U"\\; \\\\ blue', 'PT1H']);
    expect(format('Hawks', [])).toMatch(/^BEGIN:VCALENDAR\r\n[^]*\r\nEND:VCALENDAR\r\n$/);
  });

  it('identifies a schedule by its ID, and its version by the revision', () => {
    const one = game({ revision: 7 });
    const [event] = parse(format('Hawks', [one])).events;
    expect(event?.text('uid')).toBe(`${one._id.toHexString()}@flag-football-public-api`);
    expect(event?.text('sequence')).toBe(7);
    expect(event?.at('dtstamp')).toMatchObject({ tzid: undefined, instant: one.updatedAt });
    expect(event?.at('last-modified').instant).toEqual(one.updatedAt);
    expect(event?.at('created').instant).toEqual(one.createdAt);
  });

  it('gives the same text for the same schedules, and changes it only with the number of the format', () => {
    const one = game({ _id: toRecordId('6650f1f77bcf86cd79943961'), timeZone: 'America/Denver' });
    const textHash = hash('sha256', format('Hawks', [one]), 'base64url');
    expect([calendarFormat, textHash]).toEqual([2, 'YrazsvBKtFcop9YEhbaecbQ21EnpOJyBukioCmSTYiA']);
  });

  it.each<[string, Partial<CalendarGame>, string]>([
    ['a scheduled one', {}, 'CONFIRMED'],
    ['one stored without a status', { status: undefined as never }, 'CONFIRMED'],
    ['a postponed one', { status: 'postponed' }, 'TENTATIVE'],
    ['a cancelled one', { status: 'cancelled' }, 'CANCELLED'],
    ['a deleted one', { deletedAt: start }, 'CANCELLED'],
    ['a final one', { status: 'final', teamOneScore: 21, teamTwoScore: 14 }, 'CONFIRMED'],
    ['a forfeited one', { status: 'forfeited', forfeitedBy: 'both' } as Partial<CalendarGame>, 'CONFIRMED'],
  ])('gives %s its status', (_name, fields, status) => {
    expect(eventOf(fields).text('status')).toBe(status);
  });

  it.each<[Partial<CalendarGame>, string]>([
    [{}, 'Hawks vs Foxes'],
    [{ status: 'scheduled', teamOneScore: 7, teamTwoScore: 0 }, 'Hawks vs Foxes'],
    [{ status: 'final', teamOneScore: 21, teamTwoScore: 0 }, 'Hawks vs Foxes (21–0)'],
    [{ status: 'cancelled' }, 'Cancelled: Hawks vs Foxes'],
    [{ status: 'final', deletedAt: start }, 'Cancelled: Hawks vs Foxes'],
    [{ status: 'postponed' }, 'Postponed: Hawks vs Foxes'],
    [{ status: 'forfeited' }, 'Forfeited: Hawks vs Foxes'],
    [{ eventTitle: 'Final; "A", \\n B\\' }, 'Final; "A", \\n B\\'],
  ])('shows the title of %j as %s', (fields, summary) => {
    expect(eventOf(fields).text('summary')).toBe(summary);
  });

  it.each<[Partial<CalendarGame>, string | null]>([
    [{}, null],
    [{ locationName: 'Riverside, field 3', location: 'Street 1' }, 'Riverside, field 3'],
    [{ locationName: '', location: 'Street 1' }, 'Street 1'],
    [{ locationName: '', location: { latitude: 37.8, longitude: -122.27 } }, null],
  ])('shows the location of %j as %s', (fields, location) => {
    expect(eventOf(fields).text('location')).toBe(location);
  });

  it('shows local times with the time zone, over the change to daylight-saving time', () => {
    const sunday = { startDate: new Date('2027-03-14T17:00:00Z'), endDate: new Date('2027-03-14T18:00:00Z') };
    const { zones, events } = parse(
      format('Hawks', [game({ timeZone: 'America/Denver' }), game({ timeZone: 'America/Denver', ...sunday })]),
    );
    expect(zones.map(({ tzid }) => tzid)).toEqual(['America/Denver']);
    expect(events.map(({ at }) => at('dtstart'))).toEqual([
      { tzid: 'America/Denver', local: '2027-03-13T10:00:00', instant: start },
      { tzid: 'America/Denver', local: '2027-03-14T11:00:00', instant: sunday.startDate },
    ]);
  });

  it('shows UTC without a time zone, and aliases under their main names', () => {
    expect(eventOf({}).at('dtstart')).toEqual({ tzid: undefined, local: '2027-03-13T17:00:00Z', instant: start });
    expect(eventOf({ timeZone: 'Etc/UTC' }).at('dtstart').tzid).toBeUndefined();
    expect(eventOf({ timeZone: 'US/Pacific' }).at('dtstart').tzid).toBe('America/Los_Angeles');
  });

  it('shows games in the time zones of the first games, at most 20, and all others in UTC', () => {
    const names = Intl.supportedValuesOf('timeZone').filter((name) => name.startsWith('America/'));
    const first = names.slice(0, 20);
    const timeZones = [...first, 'America/New_York', first[0] ?? ''];
    const games = [game(), ...timeZones.map((timeZone) => game({ timeZone }))];
    const { zones, events } = parse(format('Hawks', games));
    expect(zones.map(({ tzid }) => tzid)).toEqual(first);
    expect(events.map(({ at }) => at('dtstart').tzid)).toEqual([undefined, ...first, undefined, first[0]]);
    expect(events.map(({ at }) => at('dtstart').instant)).toEqual(games.map(() => start));
  });

  it('has the changes of a time zone around the games, however late a game ends', () => {
    const endDate = new Date('2199-12-31T00:00:00Z');
    const { calendar } = parse(format('Hawks', [game({ timeZone: 'America/Denver', endDate })]));
    const [zone] = calendar.getAllSubcomponents('vtimezone');
    const onsets = zone?.getAllSubcomponents().map((one) => String(one.getFirstPropertyValue('dtstart')));
    expect(onsets?.toSorted()).toEqual([...['2026-03-12T18:00:00', '2026-11-01T02:00:00', '2027-03-14T02:00:00']]);
  });

  it('keeps every instant in every time zone', () => {
    const wrong = Intl.supportedValuesOf('timeZone').flatMap((timeZone) => {
      const games = Array.from({ length: 6 }, (_, index) => {
        const startDate = new Date(start.getTime() + Math.round(index * 68.3 * day));
        return game({ timeZone, startDate, endDate: new Date(startDate.getTime() + 3_600_000) });
      });
      const { events } = parse(format('Hawks', games));
      return events.flatMap(({ at }, index) => {
        const expected = games[index]?.startDate.getTime() ?? 0;
        // A calendar has no milliseconds.
        return Math.floor(expected / 1_000) === at('dtstart').instant.getTime() / 1_000
          ? []
          : [`${timeZone} ${expected}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it('keeps any text, in lines of at most 75 octets', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 255, size: 'max' }).map((one) => one.trim());
    fc.assert(
      fc.property(text, text, text, (teamName, eventTitle, locationName) => {
        const formatted = format(teamName, [game({ eventTitle, locationName })]);
        const lines = formatted.split('\r\n');
        expect(lines.filter((line) => Buffer.byteLength(line) > 75 || /[\r\n]/.test(line))).toEqual([]);
        const { events } = parse(formatted);
        expect(events).toHaveLength(1);
        expect(events[0]?.text('summary')).toBe(eventTitle);
        expect(events[0]?.text('location') ?? '').toBe(locationName);
      }),
      { seed: 20270501, numRuns: 60 },
    );
  });
});

describe('nearestGames', () => {
  const at = (days: number) => game({ startDate: new Date(start.getTime() + days * day) });

  it('returns the 1,000 games nearest to a day, nearest first', () => {
    const before = Array.from({ length: 700 }, (_, index) => at(-0.1 * index));
    const after = Array.from({ length: 700 }, (_, index) => at(0.1 * index + 0.01));
    const expected = before.flatMap((one, index) => [one, after[index]]).slice(0, 1_000);
    expect(nearestGames([...before, ...after], start)).toEqual(expected);
  });

  it('returns a game once that was found before and after its deletion, as deleted', () => {
    const [one, other] = [at(1), at(2)];
    const deleted = { ...one, revision: 2, deletedAt: start };
    expect(nearestGames([one, other, deleted], start)).toEqual([deleted, other]);
  });
});
