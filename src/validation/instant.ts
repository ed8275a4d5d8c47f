const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?$/;

const firstYear = 1970;
const lastYear = 2199;

/** The end of the supported years, exclusive. */
export const maxInstant = new Date(Date.UTC(lastYear + 1, 0, 1));

/**
 * Parses an ISO 8601 date-time. Seconds and fractions are optional (truncated to the millisecond); without a time zone
 * it is UTC. Returns undefined for a date alone, an impossible date (Feb 30), a leap second, hour 24, and years outside
 * 1970–2199.
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

  if (!isInRange(year) || !isCalendarDate(year, month, day)) return undefined;

  const local = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === '-' ? -1 : 1);
  const instant = new Date(local - offset);
  return isInRange(instant.getUTCFullYear()) ? instant : undefined;
}

/** Returns whether a text has the form of a date-time, but a date that is not on the calendar, such as February 30. */
export function hasImpossibleDate(text: string): boolean {
  const match = dateTime.exec(text);
  return match !== null && !isCalendarDate(Number(match[1]), Number(match[2]), Number(match[3]));
}

function isCalendarDate(year: number, month: number, day: number): boolean {
  // The calendar repeats every 400 years, and Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(Date.UTC(2000 + (year % 400), month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isInRange(year: number): boolean {
  return year >= firstYear && year <= lastYear;
}
