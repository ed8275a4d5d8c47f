const dateTime =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?$/;

const firstInstant = new Date(Date.UTC(1970, 0, 1));
/** The end of the supported years, exclusive. */
export const maxInstant = new Date(Date.UTC(2200, 0, 1));

/**
 * Parses an ISO 8601 date-time. Seconds and fractions are optional (truncated to the millisecond); without a time zone
 * it is UTC. Returns undefined for a date alone, an impossible date (Feb 30), a leap second, hour 24, and years outside
 * 1970–2199.
 */
export function parseInstant(text: string): Date | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '', seconds = '00', fraction = '', sign, hours = 0, minutes = 0] = match;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const local = timeOf(`${date}T${time}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return isInRange(local) && isInRange(local - offset) ? new Date(local - offset) : undefined;
}

/** Returns whether a date-time says its offset from UTC, or that it is UTC. */
export const hasOffset = (text: string): boolean => /([Zz]|[+-]\d{2}(:?\d{2})?)$/.test(text.replace(/^[\d-]+/, ''));

/** Returns whether a text has the form of a date-time, but a date that is not on the calendar, such as February 30. */
export function hasImpossibleDate(text: string): boolean {
  const date = dateTime.exec(text)?.[1];
  return date !== undefined && Number.isNaN(timeOf(`${date}T00:00:00.000Z`));
}

/** Returns the time of a text in the form of `Date.toISOString`. NaN if it does not exist: `Date` reads Feb 30 as Mar 2. */
function timeOf(iso: string): number {
  const time = Date.parse(iso);
  return !Number.isNaN(time) && new Date(time).toISOString() === iso ? time : Number.NaN;
}

function isInRange(time: number): boolean {
  return time >= firstInstant.getTime() && time < maxInstant.getTime();
}
