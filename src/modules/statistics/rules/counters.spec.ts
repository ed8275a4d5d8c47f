import { fieldsOf, playerId, problemsOf, row } from '../../../../test/support/statistics-rows.js';
import { parseRows } from './parse-rows.js';
import { statisticsCategories, statisticsTable } from './statistics-table.js';

/** Parses JSON written by hand, for numbers that JSON.stringify would write in another way. */
const parsed = (text: string): unknown => JSON.parse(text);

describe('a counter', () => {
  const everyCounter = statisticsCategories.flatMap((category) =>
    Object.entries(statisticsTable[category].counters).map(([name, counter]) => ({ category, name, ...counter })),
  );

  it.each(everyCounter)(
    '$category.$name may be null, 0 and each end of its range',
    ({ category, name, minimum, maximum, step }) => {
      for (const value of [null, 0, minimum, maximum, minimum + step]) {
        expect(fieldsOf([row({ [name]: value }, { category })])).toEqual([]);
      }
    },
  );

  it.each(everyCounter)(
    '$category.$name rejects values out of range or between steps',
    ({ category, name, minimum, maximum, step }) => {
      for (const value of [minimum - step, maximum + step, step / 2, 1e308, -1e308, 5e-324]) {
        expect(fieldsOf([row({ [name]: value }, { category })])).toEqual([`rows[0].stats.${name}`]);
      }
    },
  );

  it.each(['1', '', true, false, [], [1], {}, { $inc: 1 }, [[[1]]]])('is never converted from %j', (value) => {
    expect(problemsOf([row({ completions: value })])).toEqual([
      {
        field: 'rows[0].stats.completions',
        message: 'rows[0].stats.completions must be an integer from 0 to 9999, or null if it is not tracked',
      },
    ]);
  });

  it('rejects 1e999, which JSON.parse turns into Infinity', () => {
    const rows = parsed(`[{"playerId":"${playerId}","category":"qb","stats":{"passingYards":1e999,"completions":1}}]`);
    expect(fieldsOf(rows)).toEqual(['rows[0].stats.passingYards']);
  });

  it('accepts the integers 3.0, 1e1 and -0, and stores -0 as 0', () => {
    const stats = '{"completions":3.0,"passAttempts":1e1,"sacksTaken":-0}';
    const [first] = parseRows(parsed(`[{"playerId":"${playerId}","category":"qb","stats":${stats}}]`));
    expect(first?.stats).toMatchObject({ completions: 3, passAttempts: 10, sacksTaken: 0 });
  });

  it('of sacks must be a multiple of 0.5', () => {
    const sacks = (value: number) => problemsOf([row({ sacks: value }, { category: 'defensive' })]);
    expect(sacks(2.5)).toEqual([]);
    expect(sacks(0.25)).toEqual([
      {
        field: 'rows[0].stats.sacks',
        message: 'rows[0].stats.sacks must be a multiple of 0.5 from 0 to 9999, or null if it is not tracked',
      },
    ]);
    expect(sacks(-0.5)).toHaveLength(1);
  });

  it('of another category is rejected by name', () => {
    expect(problemsOf([row({ punts: 1 })])).toEqual([
      { field: 'rows[0].stats.punts', message: 'rows[0].stats.punts is not a counter of the category qb' },
    ]);
  });

  it('is reported only once if it is invalid', () => {
    expect(fieldsOf([row({ passAttempts: 2, completions: 99_999 })])).toEqual(['rows[0].stats.completions']);
    expect(fieldsOf([row({ passAttempts: '2', completions: 5 })])).toEqual(['rows[0].stats.passAttempts']);
    expect(fieldsOf([row({ completions: 0, longestPass: 200 })])).toEqual(['rows[0].stats.longestPass']);
  });
});
