import { Note } from './ui';

/** Returns a function that formats a time in the viewer's locale. */
function formatter(options: Intl.DateTimeFormatOptions) {
  const format = new Intl.DateTimeFormat(undefined, options);
  return (value: string): string => format.format(new Date(value));
}

/** For texts that cannot hold an element. */
export const formatTime = formatter({ dateStyle: 'medium', timeStyle: 'short' });
const formatDate = formatter({ dateStyle: 'medium' });
const formatHour = formatter({ timeStyle: 'short' });
const formatExact = formatter({ dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns the distance from now in words, such as "3 days ago". */
export function formatRelative(value: string): string {
  const seconds = (Date.parse(value) - Date.now()) / 1_000;
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  if (step === undefined) return seconds <= 0 ? 'now' : 'in less than a minute';
  return relative.format(Math.trunc(seconds / step[1]), step[0]);
}

/** Returns an hour, or its day if the axis is longer than a day. */
export const formatAxisTime = (value: string, hours: number): string =>
  hours > 24 ? formatDate(value) : formatHour(value);

const formats = {
  absolute: formatTime,
  second: formatter({ dateStyle: 'medium', timeStyle: 'medium' }),
  date: formatDate,
  relative: formatRelative,
};

/** A time in the viewer's locale and time zone; the title has the exact time with its zone. */
export function Time({ value, as = 'absolute' }: { value: string; as?: keyof typeof formats }) {
  return (
    <time dateTime={value} title={formatExact(value)}>
      {formats[as](value)}
    </time>
  );
}

/** A time, and who acted, if it is known. */
export function When({ time, who }: { time: string; who: string | undefined }) {
  return (
    <>
      <Time value={time} />
      {who !== undefined && ` by ${who}`}
    </>
  );
}

/** Returns a time in a zone and the zone's name: in UTC if the browser does not know the zone. */
export function formatIn(timeZone: string, value: string): readonly [time: string, zone: string] {
  try {
    return [formatter({ dateStyle: 'medium', timeStyle: 'short', timeZone })(value), timeZone];
  } catch {
    return formatIn('UTC', value);
  }
}

/** A time in the time zone of a game; the title has the exact time in the viewer's zone. */
export function ZonedTime({ value, zone = 'UTC' }: { value: string; zone?: string }) {
  const [time, shownZone] = formatIn(zone, value);
  return (
    <>
      <time dateTime={value} title={formatExact(value)}>
        {time}
      </time>
      <Note>{shownZone}</Note>
    </>
  );
}

/** Returns a time as the value of a `datetime-local` input, in the viewer's time zone. */
export function toInput(value: string | undefined): string {
  if (value === undefined) return '';
  const date = new Date(value);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * Returns the value of a `datetime-local` input as an ISO time, or undefined if it is empty or incomplete.
 * @param stored returned while the input shows it, because the input leaves out its seconds
 */
export function fromInput(value = '', stored?: string): string | undefined {
  if (stored !== undefined && value === toInput(stored)) return stored;
  return Number.isNaN(Date.parse(value)) ? undefined : new Date(value).toISOString();
}
