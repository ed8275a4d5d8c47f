import fc from 'fast-check';
import { parseInstant } from './instant.js';

fc.configureGlobal({ seed: 20270501, numRuns: 2_000 });

const minuteLength = 60_000;
const dayLength = 1_440 * minuteLength;
const firstInstant = Date.parse('1970-01-01T00:00:00.000Z');
const lastInstant = Date.parse('2199-12-31T23:59:59.999Z');

const within = (min: number, max: number) => fc.integer({ min, max });
const mostly = (usual: fc.Arbitrary<number>, odd: fc.Arbitrary<number>) =>
  fc.oneof({ weight: 15, arbitrary: usual }, odd);
const offsets = fc.record({
  sign: fc.constantFrom('+', '-'),
  hours: mostly(fc.nat(14), fc.nat(25)),
  minutes: mostly(fc.nat(59), fc.nat(61)),
});
/** The parts of a date-time, most of them valid, some out of range. */
const moments = fc.record({
  year: mostly(within(1970, 2199), fc.oneof(within(1960, 2210), fc.constantFrom(1970, 2199))),
  month: mostly(within(1, 12), within(0, 13)),
  day: mostly(within(1, 28), within(0, 32)),
  hour: mostly(within(0, 23), within(0, 25)),
  minute: mostly(within(0, 59), within(0, 61)),
  seconds: fc.option(
    fc.record({
      second: mostly(within(0, 59), within(0, 61)),
      fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^[0-9]{1,12}$/)),
    }),
    { nil: undefined },
  ),
  zone: fc.oneof(fc.constantFrom('', 'Z', 'z'), offsets),
  letters: fc.record({ between: fc.constantFrom('T', 't'), point: fc.constantFrom('.', ','), colon: fc.boolean() }),
});
type Moment = typeof moments extends fc.Arbitrary<infer Value> ? Value : never;

const padded = (value: number, length = 2) => String(value).padStart(length, '0');

/** A moment as a partner can write it. */
function written({ year, month, day, hour, minute, seconds, zone, letters }: Moment): string {
  const fraction = seconds === undefined || seconds.fraction === '' ? '' : letters.point + seconds.fraction;
  const small = seconds === undefined ? '' : `:${padded(seconds.second)}${fraction}`;
  const time = `${padded(hour)}:${padded(minute)}${small}`;
  const colon = letters.colon ? ':' : '';
  const end = typeof zone === 'string' ? zone : `${zone.sign}${padded(zone.hours)}${colon}${padded(zone.minutes)}`;
  return `${padded(year, 4)}-${padded(month)}-${padded(day)}${letters.between}${time}${end}`;
}

/** The number of days of a month in the Gregorian calendar; 0 if there is no such month. */
function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

/** The days since 1 January 1970, computed by counting years and months, unlike in the parser. */
function daysSince1970(year: number, month: number, day: number): number {
  let days = day - 1;
  for (let past = 1970; past < year; past++) days += 337 + daysIn(past, 2);
  for (let past = 1; past < month; past++) days += daysIn(year, past);
  return days;
}

/** The milliseconds that a moment means, or undefined if the contract rejects it. */
function expectedTime({ year, month, day, hour, minute, seconds, zone }: Moment): number | undefined {
  const { second, fraction } = seconds ?? { second: 0, fraction: '' };
  const offset = typeof zone === 'string' ? { sign: '+', hours: 0, minutes: 0 } : zone;
  const onCalendar = year >= 1970 && year <= 2199 && day >= 1 && day <= daysIn(year, month);
  const onClock = hour <= 23 && minute <= 59 && second <= 59 && offset.hours <= 23 && offset.minutes <= 59;
  if (!onCalendar || !onClock) return undefined;
  const milliseconds = second * 1_000 + Number(BigInt(fraction.padEnd(12, '0')) / 1_000_000_000n);
  const ahead = (offset.hours * 60 + offset.minutes) * (offset.sign === '-' ? -1 : 1);
  const minutes = hour * 60 + minute - ahead;
  const instant = daysSince1970(year, month, day) * dayLength + minutes * minuteLength + milliseconds;
  return instant >= firstInstant && instant <= lastInstant ? instant : undefined;
}

/** Any JavaScript string, including lone surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);

describe('every date-time', () => {
  it('is parsed as the calendar says, or rejected, however it is written', () => {
    const check = (moment: Moment) => expect(parseInstant(written(moment))?.getTime()).toBe(expectedTime(moment));
    fc.assert(fc.property(moments, check));
  });
});

describe('any other text', () => {
  it('is rejected and never throws', () => {
    fc.assert(fc.property(anyText, (text) => expect(parseInstant(text)).toBeUndefined()));
  });
});
