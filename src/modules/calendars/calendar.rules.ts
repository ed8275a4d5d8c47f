import { TZDate, tzOffset, tzScan } from '@date-fns/tz';
import ical, { escape, foldLines, ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import type { Steps } from '../../http/turns.js';
import { ianaTimeZone, mainZoneOf } from '../schedules/time-zone.js';
import { type CalendarGame, maxCalendarGames } from '../schedules/schedules.repository.js';

const day = 24 * 60 * 60_000;
const refreshSeconds = 3_600;
/** The time zones of the first games. All others are shown in UTC: scanning a zone takes about 1 ms. */
const maxZones = 20;
/** Increase this with every change of the text, so that calendars get another `ETag`. */
export const calendarFormat = 2;

/** Returns the games that a calendar shows, once each although they can be found twice, nearest to a day first. */
export function nearestGames(found: readonly CalendarGame[], today: Date): CalendarGame[] {
  const distance = ({ startDate }: CalendarGame) => Math.abs(startDate.getTime() - today.getTime());
  const games = new Map(found.map((game) => [game._id.toHexString(), game]));
  return [...games.values()].sort((one, other) => distance(one) - distance(other)).slice(0, maxCalendarGames);
}

/** Formats the schedules of a team as an iCalendar file (RFC 5545). The same schedules always give the same text. */
export function* formatCalendar(teamName: string, games: readonly CalendarGame[]): Steps<string> {
  const calendar = ical({
    prodId: '//Flag Football Public API//Calendar//EN',
    name: escape(teamName, false),
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds,
  });
  const texts = [calendar.toString().replace(/END:VCALENDAR$/, '')];
  const zones = new Map<unknown, string | undefined>();
  for (const name of [...new Set(games.flatMap(({ timeZone }) => timeZone ?? []))].slice(0, maxZones)) {
    const zone = shownZoneOf(name);
    if (zone !== undefined && ![...zones.values()].includes(zone)) texts.push(formatTimeZone(zone, games));
    zones.set(name, zone);
    yield;
  }
  for (const game of games) {
    const zone = zones.get(game.timeZone);
    const localTime = (date: Date) => (zone === undefined ? date : new TZDate(date, zone));
    const event = calendar.createEvent({
      id: `${game._id.toHexString()}@flag-football-public-api`,
      sequence: game.revision,
      // Clients compare events by these times, so they are those of the schedule and not of the request.
      stamp: game.updatedAt,
      created: game.createdAt,
      lastModified: game.updatedAt,
      start: localTime(game.startDate),
      end: localTime(game.endDate),
      timezone: zone ?? null,
      summary: summaryOf(game),
      status: statusOf(game),
      location: [game.locationName, game.location].find(isText) ?? null,
    });
    texts.push(foldLines(event.toString()));
    yield;
  }
  return `${texts.join('')}END:VCALENDAR\r\n`;
}

/** Returns the title with the score, or with what mail programs do not show of the status. */
function summaryOf({ eventTitle, teamOneScore, teamTwoScore, ...game }: CalendarGame): string {
  if (isCancelled(game)) return `Cancelled: ${eventTitle}`;
  if (game.status === 'postponed') return `Postponed: ${eventTitle}`;
  if (game.status === 'forfeited') return `Forfeited: ${eventTitle}`;
  return game.status === 'final' ? `${eventTitle} (${teamOneScore}–${teamTwoScore})` : eventTitle;
}

const isCancelled = ({ status, deletedAt }: Pick<CalendarGame, 'status' | 'deletedAt'>): boolean =>
  deletedAt instanceof Date || status === 'cancelled';

function statusOf(game: CalendarGame): ICalEventStatus {
  if (isCancelled(game)) return ICalEventStatus.CANCELLED;
  return game.status === 'postponed' ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns the main name of a time zone, because each is cached; undefined for UTC, and for a stored name that is not IANA's. */
function shownZoneOf(timeZone: string): string | undefined {
  const name = ianaTimeZone(timeZone);
  const zone = name && mainZoneOf(name);
  return zone === 'UTC' ? undefined : zone;
}

/** Formats a time zone with its changes around the games, from the same data as their local times. */
function formatTimeZone(zone: string, games: readonly CalendarGame[]): string {
  const times = games.map(({ startDate }) => startDate.getTime());
  // Whole days, so that scanning in hours finds changes at full hours. One year earlier, because clients expect a past onset.
  const start = new Date(Math.floor(Math.min(...times) / day - 365) * day);
  // A week later, as an end can be, but not as late as any end: that could be in 2199.
  const changes = tzScan(zone, { start, end: new Date(Math.max(...times) + 7 * day) });
  const first = tzOffset(zone, start);
  const onsets = [{ date: start, offset: first, change: 0 }, ...changes];
  const components = onsets.flatMap(({ date, offset, change }, index) => {
    // Daylight time has the greater offset from UTC. For Dublin, where it does not, the names do not matter.
    const type = offset > (onsets[index - 1] ?? onsets[1] ?? { offset }).offset ? 'DAYLIGHT' : 'STANDARD';
    const before = offset - change;
    const local = new Date(date.getTime() + before * 60_000).toISOString().replace(/[-:]|\.\d+Z$/g, '');
    const offsets = [`TZOFFSETFROM:${formatOffset(before)}`, `TZOFFSETTO:${formatOffset(offset)}`];
    return [`BEGIN:${type}`, `DTSTART:${local}`, ...offsets, `END:${type}`];
  });
  return ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...components, 'END:VTIMEZONE', ''].join('\r\n');
}

function formatOffset(minutes: number): string {
  const digits = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}${digits(size % 60)}`;
}
