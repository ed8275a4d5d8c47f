import { clean, isPlaceholder, nameKey, toExternalId, toPositions } from '../../clients/typescript/src/files/cells.js';
import { describeColumns, findColumns, type Kind } from '../../clients/typescript/src/files/columns.js';
import {
  type DateOrder,
  instantsOf,
  parseDuration,
  parseLocalTime,
  toTimeZone,
} from '../../clients/typescript/src/files/dates.js';
import { dateKey, hashExternalId } from '../../clients/typescript/src/files/keys.js';
import { decodeText, type Encoding, formatCsv, parseCsv, readSheet } from '../../clients/typescript/src/files/table.js';
import { piecesOf } from '../support/imports.js';

/** Reads a text whose pieces have one character each. */
async function readCsv(text: string): Promise<string[]> {
  async function* characters() {
    for (const character of text) yield await Promise.resolve(character);
  }
  const rows: string[] = [];
  for await (const { line, cells } of parseCsv(characters())) rows.push(`${line}: ${cells.join('|')}`);
  return rows;
}

async function decode(bytes: Uint8Array, encoding?: Encoding): Promise<string> {
  let text = '';
  for await (const piece of decodeText(piecesOf(bytes, 3), encoding)) text += piece;
  return text;
}

describe('parseCsv', () => {
  it.each([
    ['lines with LF, and none at the end', 'a,b\n1,2', ['1: a|b', '2: 1|2']],
    ['lines with CRLF and CR', 'a\r\n1\r2\r\n', ['1: a', '2: 1', '3: 2']],
    ['semicolons and commas in cells', 'a;b\n"1;2";3,4', ['1: a|b', '2: 1;2|3,4']],
    ['more commas in a cell than semicolons', 'a;b\n1;2,3,4\n5;6', ['1: a|b', '2: 1|2,3,4', '3: 5|6']],
    ['tabs', 'a\tb\n1;2\t3', ['1: a|b', '2: 1;2|3']],
    ['the separator that a line states', 'sep=;\na;b\n1,2;3', ['1: sep=|', '2: a|b', '3: 1,2|3']],
    ['a separator in a quoted name of a column', '"a;b;c",d\n1,2', ['1: a;b;c|d', '2: 1|2']],
    ['quotes in a quoted cell', '"a ""b"""\n""""', ['1: a "b"', '2: "']],
    ['a quote in another cell', 'a\n5" tall', ['1: a', '2: 5" tall']],
    ['line breaks in a cell, which count as lines', 'a\n"1\r\n2"\n3', ['1: a', '2: 1\r\n2', '4: 3']],
    ['empty cells and rows', 'a,b\n,\n\n ,2,\n', ['1: a|b', '4:  |2|']],
    ['an empty file', '', []],
  ])('reads %s', async (_name, text, expected) => {
    expect(await readCsv(text)).toEqual(expected);
  });

  it.each([
    ['a quote that is not closed', 'a\n1\n"2,\n3\n'],
    ['text after a quote', 'a\n1\n"2"3\n'],
  ])('names the line of %s', async (_name, text) => {
    await expect(readCsv(text)).rejects.toThrow('Line 3: a quote is not closed, text follows it');
  });

  it('reads rows that begin in one piece and end in another', async () => {
    async function* pieces() {
      for (let number = 0; number < 20; number++) yield await Promise.resolve(`"${'x'.repeat(9_999)}\n",${number}\r\n`);
    }
    const lines: string[] = [];
    for await (const { line, cells } of parseCsv(pieces()))
      lines.push(`${line} ${cells[0]?.length ?? 0} ${cells[1] ?? ''}`);
    expect(lines).toEqual(Array.from({ length: 20 }, (_, number) => `${2 * number + 1} 10000 ${number}`));
  });

  it.each([
    ['a cell', `a\n${'x'.repeat(10_001)}\n`, 'Line 2: a cell has more than 10000 characters'],
    ['a row', `a\n${'x,'.repeat(60_000)}`, 'Line 2: a quote is not closed, text follows it, or the row is too long'],
  ])('ends at %s that is too long', async (_name, text, message) => {
    const rows = parseCsv(decodeText(piecesOf(Buffer.from(text), 65_536)));
    await rows.next();
    await expect(rows.next()).rejects.toThrow(message);
  });

  it('reads what formatCsv writes', async () => {
    expect(await readCsv(formatCsv(['a "b"', 'c,d', 'e;f', '']))).toEqual(['1: a "b"|c,d|e;f|']);
  });
});

describe('decodeText', () => {
  it.each<[string, Uint8Array, Encoding | undefined]>([
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFZoë Weiß'), undefined],
    ['UTF-8 with a byte order mark, whatever the option', Buffer.from('\uFEFFZoë Weiß'), 'windows-1252'],
    ['Windows-1252', Buffer.from('Zoë Weiß', 'latin1'), 'windows-1252'],
    ['UTF-16 that says so', Buffer.from('\uFEFFZoë Weiß', 'utf16le'), undefined],
    ['big-endian UTF-16', Buffer.from('\uFEFFZoë Weiß', 'utf16le').swap16(), undefined],
    ['text with commands to a terminal', Buffer.from('Zoë \x1b\x07\x9bWeiß'), undefined],
    ['UTF-16 by option', Buffer.from('Zoë Weiß', 'utf16le'), 'utf-16'],
  ])('reads %s, also if a character is in two pieces', async (_name, bytes, encoding) => {
    expect(await decode(bytes, encoding)).toBe('Zoë Weiß');
  });

  it('rejects another encoding and a workbook', async () => {
    await expect(decode(Buffer.from('Zoë', 'latin1'))).rejects.toThrow('add --encoding windows-1252');
    await expect(decode(Buffer.from('PK\x03\x04'))).rejects.toThrow('its name must end with .xlsx');
  });
});

describe('readSheet', () => {
  it('returns texts as in a CSV file, also of dates and times', () => {
    const [day, start, time] = ['2026-09-12T00:00:00Z', '2026-09-12T18:30:00Z', '1899-12-31T18:29:59.999Z'];
    const rows = [
      ['Name', null, 7],
      ['=1+1', '-5\x1b', -5],
      [null, null],
      [new Date(day), new Date(start), new Date(time), true],
    ];
    expect([...readSheet(rows)]).toEqual([
      { line: 1, cells: ['Name', '', '7'] },
      // Failed rows are written as CSV, where the text would be a formula. The value is that of the workbook.
      { line: 2, cells: ["'=1+1", "'-5", '-5'] },
      { line: 4, cells: ['2026-09-12', '2026-09-12 18:30', '18:30', 'true'] },
    ]);
  });
});

describe('cells', () => {
  it.each([
    ["'=1+1", '=1+1'],
    ["'-5", '-5'],
    ["'Aukea ", "'Aukea"],
  ])('are read without an apostrophe before a formula only: %s', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    ['member-1', 'member-1'],
    ['MBR 00123', 'MBR-00123'],
    ['2026/118', '2026~2F118'],
    ['#44', '~2344'],
    ['müller-1', 'm~C3~BCller-1'],
    ['a~/', 'a~7E~2F'],
    ['..', '~2E~2E'],
  ])('makes the ID %s valid: %s', (text, expected) => {
    expect(toExternalId(text)).toBe(expected);
  });

  it('makes an ID from cells, whatever their case, which does not show them', () => {
    const id = hashExternalId(['Lee', 'Jo Ann', '4/7/2016']);
    expect(id).toMatch(/^key-[0-9a-z]{10,13}$/);
    expect(hashExternalId(['LEE ', 'Jo-Ann', '4/7/2016'])).toBe(id);
    const others = [['Lee', 'Jo', 'Ann 4/7/2016'], ['Lee', 'Jo Ann', '4/17/2016'], ['Ольга'], ['Олег']].map(
      hashExternalId,
    );
    expect(new Set([id, ...others]).size).toBe(5);
  });

  it.each<[string, string | undefined, DateOrder | undefined]>([
    ...['4/17/2016', '04/17/16', '2016-04-17', '17.4.2016', '17-Apr-2016', '2016-04-17 00:00:00'].map(
      (text): [string, string, undefined] => [text, '16-04-17', undefined],
    ),
    ['7/4/2016', '16-07-04', undefined],
    ['7/4/2016', '16-04-07', 'dmy'],
    ['9/6/2026 06:30 PM', '26-09-06 1110', undefined],
    ['R2-D2', undefined, undefined],
    ['4/31/2016', undefined, undefined],
  ])('knows %s as the date %s in an ID', (text, expected, order) => {
    expect(dateKey(text, order)).toBe(expected);
  });

  it.each([
    ...['N/A', '#N/A', '#REF!', '#NAME?', '#DIV/0!', '###', '#TBD', '-'].map((text): [string, boolean] => [text, true]),
    ...['#7', '# 12', 'Tbilisi', 'None of them'].map((text): [string, boolean] => [text, false]),
  ])('say of %s whether it stands for an empty one: %s', (text, expected) => {
    expect(isPlaceholder(text)).toBe(expected);
  });

  it('splits positions, each once', () => {
    expect(toPositions('QB/WR, qb; |Rusher,-')).toEqual(['QB', 'WR', 'Rusher']);
  });

  it('compares names without accents, case and punctuation', () => {
    expect(nameKey(' São  Paulo-F.C. ')).toBe('sao paulo f c');
  });
});

describe('dates', () => {
  it.each<[string, string, DateOrder | undefined]>([
    ['2026-09-06', '2026-09-06 -', undefined],
    ['9/13/2026 6:30 PM', '2026-09-13 18:30', undefined],
    ['9/6/2026', '2026-09-06 -', 'mdy'],
    ['9/6/26 12:05 am', '2026-06-09 00:05', 'dmy'],
    ['26/9/6', '2026-09-06 -', 'ymd'],
    ['06.09.2026 18:30', '2026-09-06 18:30', undefined],
    ['25-Sep-2026 3pm', '2026-09-25 15:00', undefined],
    ['Saturday, October 3, 2026 15:00', '2026-10-03 15:00', undefined],
    ['9/13/2026, 6:30 PM', '2026-09-13 18:30', undefined],
    ['6th Sept 2026', '2026-09-06 -', undefined],
    ['2026-09-06T18:30:00', '2026-09-06 18:30', undefined],
    ['12:30:00 PM', '- 12:30', undefined],
    ['', '- -', undefined],
  ])('reads "%s" as %s', (text, expected, order) => {
    const { day, minutes } = parseLocalTime(text, order);
    const date = (milliseconds?: number) => milliseconds !== undefined && new Date(milliseconds).toISOString();
    const clock = minutes !== undefined && date(minutes * 60_000);
    expect(`${(date(day) || '-').slice(0, 10)} ${(clock || '-').slice(-13, -8) || '-'}`).toBe(expected);
  });

  it('reads an instant', () => {
    expect(parseLocalTime('2026-09-06T18:30:00-04:00', undefined)).toEqual({ instant: new Date('2026-09-06T22:30Z') });
  });

  it.each([
    ['9/6/2026', '"9/6/2026" is 2026-09-06 with --dates mdy, and 2026-06-09 with --dates dmy'],
    ['2026-02-30', '"2026-02-30" is not a date'],
    ['9/13/206', '"9/13/206" is not a date'],
    ['soon', '"soon" is not a date'],
    ['9/13/2026 6:75', '"6:75" is not a time'],
    ['9/13/2026 13:00 PM', '"13:00 PM" is not a time'],
  ])('rejects "%s"', (text, message) => {
    expect(() => parseLocalTime(text, undefined)).toThrow(message);
  });

  it.each([
    ['EST', 'America/New_York'],
    ['Pacific Time (US & Canada)', 'America/Los_Angeles'],
    ['(GMT-08:00) Pacific Time (US & Canada)', 'America/Los_Angeles'],
    ['US/Pacific', 'America/Los_Angeles'],
    ['Mountain Time (Arizona)', 'America/Phoenix'],
    ['GMT Standard Time', 'Europe/London'],
    ['GMT', 'UTC'],
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Mars/Olympus', undefined],
    ['CEST', undefined],
  ])('knows the time zone %s as %s', (text, expected) => {
    expect(toTimeZone(text)).toBe(expected);
  });

  it.each([
    [90, ['90', '90m', '90 min.', '1:30', '1:30:00', '1.5 hrs', '1h 30']],
    [75, ['75.0', '1 hr 15 minutes']],
    [60, ['1 hour']],
    [undefined, ['1', '1.5', '45:00', 'long', '45 - 60']],
  ])('reads durations of %s minutes', (minutes, texts) => {
    expect(texts.map(parseDuration)).toEqual(texts.map(() => minutes));
  });

  it('finds no or two instants when the clocks change', () => {
    const at = (text: string) =>
      instantsOf(Date.parse(`${text}Z`), toTimeZone('ET') ?? '').map((each) => each.toISOString());
    expect(at('2026-07-10T18:30')).toEqual(['2026-07-10T22:30:00.000Z']);
    expect(at('2026-11-01T01:30')).toEqual(['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z']);
    expect(at('2027-03-14T02:30')).toEqual([]);
  });
});

describe('findColumns', () => {
  const find = (kind: Kind, header: string, map = {}) => {
    const columns = findColumns(kind, [{ line: 1, cells: header.split(',') }], map);
    return {
      fields: Object.fromEntries(columns.indexes),
      ignored: columns.ignored,
      sentences: describeColumns(columns),
    };
  };

  it('says how it understands the columns', () => {
    expect(find('players', 'Athlete ID,FIRST_name*,Last-Name,,Parent Email').sentences).toEqual([
      'Columns: "Athlete ID" → externalId, "FIRST_name*" → firstName, "Last-Name" → lastName.',
      'Not imported: "Parent Email".',
    ]);
  });

  it.each([
    ['ID,Name,Email,Parent Name', undefined],
    ['ID,Name,Email,P1 Email', 2],
    ['ID,Name,Athlete Email,Guardian', 2],
    ['ID,Name,Email,Dad Cell', undefined],
    ['ID,Name,Primary Email,Account Holder', undefined],
    ['ID,Name,Email,Family Phone', undefined],
    ['ID,First Name,Email,Family Name', 2],
    ['ID,Name,Email,Emergency Contact Email', undefined],
  ])('takes the address of %s only if it is not that of a parent', (header, expected) => {
    expect(find('players', header).fields['email']).toBe(expected);
  });

  it('follows a map, of which other kinds can have parts', () => {
    const map = { 'Trikot-Nr.': 'jerseyNumber', Email: null, Heim: 'home' };
    expect(find('players', 'ID,trikotnr,Number,Email', map)).toMatchObject({
      fields: { jerseyNumber: 1 },
      ignored: ['Number', 'Email'],
    });
    expect(() => find('players', 'ID', { A: 'shirt' })).toThrow(
      'The map names the field "shirt". Known fields: externalId, name',
    );
    expect(() => find('players', 'A,B')).toThrow('The file has no header with a known name.');
  });

  it.each([
    ['Visitor Score', 'awayScore'],
    ['Guest Score', 'awayScore'],
    ['Home Team Points', 'homeScore'],
    ['Team1_Is_Home', 'teamOneIsHome'],
  ])('knows %s of a game', (header, field) => {
    expect(find('schedules', `Date,Start,End,${header}`).fields).toEqual({ date: 0, time: 1, end: 2, [field]: 3 });
  });

  it.each([
    ['Att,Yds,TD,FP', 'defensive.flagPulls'],
    ['Comp,Att,Sacks,Interceptions', 'qb.completions qb.passAttempts qb.interceptionsThrown'],
    ['Att,Comp,FP,Sacks', 'qb.passAttempts qb.completions defensive.flagPulls defensive.sacks'],
    ['Carries,Rush Yds,Rec,RYds', 'offensive.rushAttempts offensive.rushingYards offensive.receptions'],
    ['Rush Yds,Att', 'offensive.rushingYards offensive.rushAttempts'],
  ])('takes no counter of %s that can be another one', (header, fields) => {
    expect(Object.keys(find('statistics', header).fields).sort()).toEqual(fields.split(' ').sort());
  });

  it('takes TD and INT as those of the columns before', () => {
    expect(find('statistics', '#,C/ATT,YDS,TD,INT,CAR,YDS,TD,REC,YDS,TD,FP,INT,PaYds').fields).toEqual({
      jerseyNumber: 0,
      'qb.completions/qb.passAttempts': 1,
      ...{ 'qb.passingYards': 2, 'qb.passingTouchdowns': 3, 'qb.interceptionsThrown': 4 },
      ...{ 'offensive.rushAttempts': 5, 'offensive.rushingYards': 6, 'offensive.rushingTouchdowns': 7 },
      ...{ 'offensive.receptions': 8, 'offensive.receivingYards': 9, 'offensive.receivingTouchdowns': 10 },
      ...{ 'defensive.flagPulls': 11, 'defensive.interceptions': 12 },
    });
  });
});
