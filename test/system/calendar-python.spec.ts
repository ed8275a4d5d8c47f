import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { newRecordId } from '../../src/database/record.js';
import { formatCalendar } from '../../src/modules/calendars/calendar.rules.js';
import type { CalendarGame } from '../../src/modules/schedules/schedules.repository.js';
import { withPythonPackage } from '../support/example-programs.js';

/** Prints the events of a calendar as JSON, with instants in UTC as its time zones define them. */
const program = `
import datetime, icalendar, json, sys
calendar = icalendar.Calendar.from_ical(open(sys.argv[1], 'rb').read())
zones = {str(zone['TZID']): zone.to_tz(lookup_tzid=False) for zone in calendar.walk('VTIMEZONE')}
def instant(event, name):
    value = event[name].dt
    zone = zones.get(str(event[name].params.get('TZID')), datetime.timezone.utc)
    return value.replace(tzinfo=zone).astimezone(datetime.timezone.utc).isoformat()
print(json.dumps([
    {'start': instant(event, 'DTSTART'), 'end': instant(event, 'DTEND'), 'sequence': int(event['SEQUENCE']),
     'summary': str(event['SUMMARY']), 'status': str(event['STATUS']), 'location': str(event.get('LOCATION', ''))}
    for event in calendar.walk('VEVENT')]))
`;

const text = 'Hawks; "12U", ünder\\n – '.repeat(6).trim();
const hour = 60 * 60_000;

function game(days: number, fields: Partial<CalendarGame>): CalendarGame {
  const startDate = new Date(Date.parse('2027-01-10T17:00:00Z') + days * 24 * hour);
  const times = {
    createdAt: startDate,
    updatedAt: startDate,
    startDate,
    endDate: new Date(startDate.getTime() + hour),
  };
  const common = { _id: newRecordId(), revision: 3, deletedAt: null, eventTitle: text, status: 'scheduled' } as const;
  return { ...common, ...times, ...fields };
}

it("is read by Python's icalendar as it was written", async () => {
  const zones = [
    undefined,
    'America/Denver',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Europe/Dublin',
    'Asia/Kolkata',
  ];
  const games = Array.from({ length: 60 }, (_none, index) => {
    const timeZone = zones[index % zones.length];
    const isFinal = index % 5 === 0 && { status: 'final' as const, teamOneScore: 21, teamTwoScore: index };
    return game(index * 6, { locationName: text, ...(timeZone && { timeZone }), ...isFinal });
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'calendar-'));
  try {
    const env = await withPythonPackage('icalendar', '7.3.0', folder);
    const file = path.join(folder, 'team.ics');
    await writeFile(file, formatCalendar(text, games));
    const { stdout } = await promisify(execFile)('python3', ['-c', program, file], { env });
    const inPython = (date: Date) => date.toISOString().replace('.000Z', '+00:00');
    expect(JSON.parse(stdout)).toEqual(
      games.map(({ startDate, endDate, teamTwoScore }) => ({
        ...{ start: inPython(startDate), end: inPython(endDate), sequence: 3, status: 'CONFIRMED', location: text },
        summary: teamTwoScore === undefined ? text : `${text} (21–${teamTwoScore})`,
      })),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}, 120_000);
