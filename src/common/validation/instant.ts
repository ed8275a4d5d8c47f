const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?$/;

const firstYear = 1970;
const lastYear = 2199;

/** The first moment after those that this server keeps. */
export const endOfTime = new Date(Date.UTC(lastYear + 1, 0, 1));

/**
 * Reads an ISO 8601 date-time: seconds and fractions are optional (kept to the millisecond, the rest is cut),
 * without a zone it is UTC. A date alone, a day that the calendar does not have (Feb 30), a leap second, hour 24
 * and years outside 1970–2199 give undefined.
 */
export function parseInstant(text: string): Date | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part || 0));
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;

  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds));
  const onCalendar = local.getUTCFullYear() === year && local.getUTCMonth() === month - 1 && local.getUTCDate() === day;
  if (!onCalendar || !inRange(year)) return undefined;

  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === '-' ? -1 : 1);
  const instant = new Date(local.getTime() - offset);
  return inRange(instant.getUTCFullYear()) ? instant : undefined;
}

function inRange(year: number): boolean {
  return year >= firstYear && year <= lastYear;
}
