import { FileError } from './cells.js';

export const dateOrders = ['mdy', 'dmy', 'ymd'] as const;
export type DateOrder = (typeof dateOrders)[number];

/** The date and time of a clock, as if it were UTC. */
export interface LocalTime {
  day?: number | undefined;
  minutes?: number;
  /** Whether the time says AM or PM. */
  hasHalf?: boolean;
  /** The text is an instant, such as `2026-09-06T18:30:00-04:00`. */
  instant?: Date;
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const clockTime = /(?:^|[\sT])(\d{1,2})(?::(\d{2}))?(?::\d{2}(?:\.\d+)?)?\s*(?:([ap])\.?m?\.?)?$/i;
const dayLength = 86_400_000;

/** Reads a date, a time or both, such as `9/6/2026 6:30 PM`. @throws Error if the text is neither. */
export function parseLocalTime(text: string, order: DateOrder | undefined): LocalTime {
  const instant = /^(\d{4}-\d\d-\d\d)T.*(Z|[+-]\d\d:?\d\d)$/.exec(text);
  if (instant?.[1] !== undefined && parseDay(instant[1], 'ymd')) return { instant: new Date(text) };
  const time = /:|\d\s*[ap]\.?m?\.?$|T\d/i.test(text) ? clockTime.exec(text) : null;
  const date = (time ? text.slice(0, time.index) : text).replace(/,?\s*$/, '');
  const clock = time && { minutes: minutesOf(time), hasHalf: time[3] !== undefined };
  return { ...(date && { day: parseDay(date, order) }), ...clock };
}

function minutesOf([text, hour = '', minute = '0', half]: RegExpExecArray): number {
  const [hours, minutes] = [Number(hour), Number(minute)];
  if (minutes > 59 || hours > (half ? 12 : 23) || (half && hours === 0))
    throw new Error(`"${text.trim()}" is not a time`);
  return (half ? (hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : hours) * 60 + minutes;
}

/** A word before a date that is no month. */
const weekday = new RegExp(
  `^(?!(?:${months.join('|')})[a-z]*\\.?\\s*\\d)[a-z]+\\.?,?\\s+(?=\\d|[a-z]+\\.?\\s*\\d)`,
  'i',
);
const dayThenMonth = /^(\d{1,2})(?:st|nd|rd|th)?[\s.-]*([a-z]{3,9})[\s,.-]+(\d{4}|\d\d)$/i;
const monthThenDay = /^([a-z]{3,9})\.?\s*(\d{1,2})(?:st|nd|rd|th)?[\s,]+(\d{4}|\d\d)$/i;
const numeric = /^(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})$/;

/** Returns the day of a date as milliseconds. */
function parseDay(text: string, order: DateOrder | undefined): number {
  const date = text.replace(weekday, '');
  const [, dayOfMonth, month, year] = dayThenMonth.exec(date) ?? [];
  const [, monthFirst, secondDay, secondYear] = monthThenDay.exec(date) ?? [];
  const [, a, separator, b, c] = numeric.exec(date) ?? [];
  const name = (month ?? monthFirst ?? '').slice(0, 3).toLowerCase();
  const readings = {
    ymd: a?.length === 4 || order === 'ymd' ? dayOf(a, b, c) : undefined,
    mdy: dayOf(c, a, b),
    dmy: dayOf(c, b, a),
    named: dayOf(year ?? secondYear, String(months.indexOf(name) + 1), dayOfMonth ?? secondDay),
  };
  // Dots are for day, month and year in every country that uses them.
  const stated = name ? 'named' : a?.length === 4 ? 'ymd' : (order ?? (separator === '.' ? 'dmy' : undefined));
  const { mdy, dmy } = readings;
  if (!stated && mdy !== undefined && dmy !== undefined && mdy !== dmy) {
    const read = (day: number) => new Date(day).toISOString().slice(0, 10);
    throw new FileError(`"${text}" is ${read(mdy)} with --dates mdy, and ${read(dmy)} with --dates dmy`);
  }
  const day = stated ? readings[stated] : (mdy ?? dmy);
  if (day === undefined) throw new Error(`"${text}" is not a date`);
  return day;
}

/** Returns undefined if there is no such day. */
function dayOf(year = '', month = '', day = ''): number | undefined {
  if (!/^(\d\d){1,2}$/.test(year)) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year) + (year.length === 2 ? 2_000 : 0), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? date.getTime() : undefined;
}

/** Returns the minutes of a duration such as `90 min`, `75.0`, `1:30:00` or `1.5 hours`; undefined if the text is none. */
export function parseDuration(text: string): number | undefined {
  const clock = /^(\d\d?):(\d\d)(?::\d\d)?$/.exec(text);
  const words =
    /^(?:(\d+(?:\.\d+)?)\s*h(?:(?:ou)?rs?)?\.?)?\s*(?:(\d+(?:\.\d+)?)\s*(?:m(?:in(?:ute)?s?)?\.?)?)?$/i.exec(text);
  const [, hours = 0, minutes = 0] = clock ?? words ?? [];
  const duration = Number(hours) * 60 + Number(minutes);
  // A number below 10 is probably of hours.
  return Number.isInteger(duration) && duration >= 10 && duration <= 1_440 ? duration : undefined;
}

/** The names of time zones in the United States and their abbreviations, which all mean the clock of the place, and Windows' names. */
const zones: Record<string, string> = {
  'America/New_York': 'et est edt eastern',
  'America/Chicago': 'ct cst cdt central',
  'America/Denver': 'mt mst mdt mountain',
  'America/Phoenix': 'arizona mountainarizona mstarizona usmountainstandardtime',
  'America/Los_Angeles': 'pt pst pdt pacific',
  'America/Anchorage': 'akt akst akdt alaska',
  'Pacific/Honolulu': 'ht hst hawaii',
  'Europe/London': 'gmtstandardtime',
  UTC: 'utc gmt z',
};
const zoneByWord = new Map(
  Object.entries(zones).flatMap(([zone, words]) => words.split(' ').map((word) => [word, zone])),
);

const lettersOf = (text: string) => text.replace(/[^a-z]/g, '');
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the IANA time zone of a name such as `America/Denver` or a word such as `Pacific Time (US & Canada)`. */
export function toTimeZone(text: string): string | undefined {
  const words = text.toLowerCase().replace(/\((?!arizona)[^)]*\)/g, '');
  const [whole, short] = [words, words.replace(/\b(standard|daylight|time|us)\b/g, '')].map(lettersOf);
  const timeZone = zoneByWord.get(whole ?? '') ?? zoneByWord.get(short ?? '') ?? text;
  if (timeZone !== 'UTC' && !timeZone.includes('/')) return undefined;
  try {
    if (!formatters.has(timeZone))
      formatters.set(timeZone, new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }));
    return timeZone;
  } catch {
    return undefined;
  }
}

/** Returns the difference from UTC at an instant, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const [, sign, hours = 0, minutes = 0] =
    /GMT(?:([+-])(\d\d):(\d\d))?/.exec(formatters.get(zone)?.format(instant) ?? '') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Returns the instants at which a clock shows a time: none or two when the clocks change, otherwise one. */
export function instantsOf(local: number, zone: string): Date[] {
  const offsets = new Set([local - dayLength, local + dayLength].map((instant) => offsetAt(instant, zone)));
  const instants = [...offsets].map((offset) => local - offset).filter((each) => each + offsetAt(each, zone) === local);
  return instants.sort((a, b) => a - b).map((instant) => new Date(instant));
}
