import { TZDate, tzOffset, tzScan } from '@date-fns/tz';
import ical, { escape, ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import { isTimeZone } from '../schedules/game-outcome.schema.js';
import type { CalendarGame } from '../schedules/schedules.repository.js';

const day = 24 * 60 * 60_000;
const refreshSeconds = 3_600;

/**
 * Formats the schedules of a team as an iCalendar file (RFC 5545). The same schedules always give the same text. A
 * schedule that is given twice, before and after its deletion, is shown once, as deleted.
 */
export function formatCalendar(teamName: string, games: readonly CalendarGame[]): string {
  const calendar = ical({
    prodId: '//Flag Football Public API//Calendar//EN',
    name: escape(teamName, false),
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds,
    timezone: { name: null, generator: (zone) => formatTimeZone(zone, games) },
  });
  for (const game of new Map(games.map((game) => [game._id.toHexString(), game])).values()) {
    const zone = zoneOf(game);
    const localTime = (date: Date) => (zone === undefined ? date : new TZDate(date, zone));
    calendar.createEvent({
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
      location: locationOf(game) ?? null,
    });
  }
  return `${calendar.toString()}\r\n`;
}

function summaryOf({ eventTitle, status, teamOneScore, teamTwoScore }: CalendarGame): string {
  return status === 'final' ? `${eventTitle} (${teamOneScore}–${teamTwoScore})` : eventTitle;
}

function statusOf({ status, deletedAt }: CalendarGame): ICalEventStatus {
  if (deletedAt instanceof Date || status === 'cancelled') return ICalEventStatus.CANCELLED;
  return status === 'postponed' ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED;
}

function locationOf({ locationName, location }: CalendarGame): string | undefined {
  const [name] = [locationName, location].filter((text) => typeof text === 'string' && text !== '');
  return typeof name === 'string' ? name : undefined;
}

/** Returns the time zone under its main name, of which there are few, because each is cached; undefined for UTC. */
function zoneOf({ timeZone }: CalendarGame): string | undefined {
  // A server with newer data can have stored a zone that this one does not know.
  if (timeZone === undefined || !isTimeZone(timeZone)) return undefined;
  const zone = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  return zone === 'UTC' ? undefined : zone;
}

/** Formats a time zone with its changes around the games, from the same data as their local times. */
function formatTimeZone(zone: string, games: readonly CalendarGame[]): string {
  const times = games.flatMap(({ startDate, endDate }) => [startDate.getTime(), endDate.getTime()]);
  // Whole days, so that scanning in hours finds changes at full hours. One year earlier, because clients expect a past onset.
  const start = new Date(Math.floor(Math.min(...times) / day - 365) * day);
  const changes = tzScan(zone, { start, end: new Date(Math.max(...times) + day) });
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
  return ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...components, 'END:VTIMEZONE'].join('\r\n');
}

function formatOffset(minutes: number): string {
  const digits = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}${digits(size % 60)}`;
}
