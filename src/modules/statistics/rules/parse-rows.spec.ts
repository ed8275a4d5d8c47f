import { fieldsOf, playerId, problemsOf, row } from '../../../../test/support/statistics-rows.js';
import { maxRows, parseRows } from './parse-rows.js';
import { statisticsCategories, statisticsTable } from './statistics-table.js';

const anotherPlayer = 'f'.repeat(24);

/** A row whose JSON text is written by hand, for keys that an object literal cannot have. */
const parsed = (text: string): unknown => JSON.parse(text);

describe('rows', () => {
  it('may be empty, which clears the statistics', () => {
    expect(parseRows([])).toEqual([]);
  });

  it('come back in the order sent, with all counters and the player in lower case', () => {
    const rows = parseRows([
      { playerId: playerId.toUpperCase(), category: 'return', stats: { muffs: 1 } },
      { playerId: anotherPlayer, category: 'punt', stats: {} },
    ]);
    expect(rows.map(({ category }) => category)).toEqual(['return', 'punt']);
    expect(rows[0]).toMatchObject({
      player: { field: 'playerId', value: playerId },
      stats: { kickReturns: null, muffs: 1 },
    });
    expect(Object.keys(rows[0]?.stats ?? {})).toEqual(Object.keys(statisticsTable.return.counters));
  });

  it.each(statisticsCategories)('of %s accept the stats of a response', (category) => {
    const first = parseRows([{ playerId, category, stats: {} }]);
    expect(parseRows([{ playerId, category, stats: first[0]?.stats }])).toEqual(first);
  });

  it.each([undefined, null, {}, 'rows', 1, true, { 0: {}, length: 1 }])('must be a list: not %j', (rows) => {
    expect(problemsOf(rows)).toEqual([
      {
        field: 'rows',
        message: 'rows must be an array of objects with playerId or playerExternalId, category and stats',
      },
    ]);
  });

  it('must be at most 1,000', () => {
    const rows = Array.from({ length: maxRows }, (_, index) =>
      row({}, { playerId: index.toString(16).padStart(24, '0') }),
    );
    expect(fieldsOf(rows)).toEqual([]);
    expect(problemsOf([...rows, row({})])).toEqual([
      { field: 'rows', message: 'rows must have at most 1000 entries, not 1001' },
    ]);
  });

  it.each([null, 1, 'row', true, [], [[row({})]]])('must be objects: not %j', (wrong) => {
    expect(fieldsOf([row({}), wrong])).toEqual(['rows[1]']);
  });

  it('name missing fields', () => {
    expect(problemsOf([{}])).toEqual([
      { field: 'rows[0].playerId', message: 'rows[0].playerId is required' },
      {
        field: 'rows[0].category',
        message: 'rows[0].category is required',
      },
      { field: 'rows[0].stats', message: 'rows[0].stats is required' },
    ]);
  });

  it.each(['x'.repeat(24), 'a'.repeat(25), ` ${playerId}`, null, [playerId]])('reject the playerId %j', (wrong) => {
    expect(fieldsOf([row({}, { playerId: wrong })])).toEqual(['rows[0].playerId']);
  });

  it.each(['QB', ' qb', 'toString', null, ['qb']])('refuse the category %j', (wrong) => {
    expect(fieldsOf([row({ anything: 1 }, { category: wrong })])).toEqual(['rows[0].category']);
  });

  it.each([null, 'stats', 3, true, [], [{ completions: 1 }]])('reject the stats %j', (wrong) => {
    expect(fieldsOf([row(wrong)])).toEqual(['rows[0].stats']);
  });

  it.each([
    ['an external ID', { playerExternalId: 'p-1' }, []],
    ['an external ID and a team', { playerExternalId: 'p-1', teamId: 'x' }, []],
    ['an external ID with a space', { playerExternalId: 'p 1' }, ['rows[0].playerExternalId']],
    ['an ID and an external ID', { playerId, playerExternalId: 'p-1' }, ['rows[0].playerExternalId']],
    ['neither', {}, ['rows[0].playerId']],
    ['an ID and a team', { playerId, teamId: 'x' }, []],
    ['an ID and the external ID of a team', { playerId, teamExternalId: 'c-1' }, []],
    ['both IDs of a team', { playerId, teamId: 'x', teamExternalId: 'c-1' }, ['rows[0].teamExternalId']],
    ['a team that is no text', { playerExternalId: 'p-1', teamId: 7 }, ['rows[0].teamId']],
  ] as [string, object, string[]][])('name a player by %s, or name the wrong fields', (_, player, wrong) => {
    expect(fieldsOf([{ ...player, category: 'qb', stats: {} }])).toEqual(wrong);
  });

  it('reject any other field by name', () => {
    const known = 'a row has playerId or playerExternalId, category and stats';
    expect(problemsOf([row({}, { teamName: 'Hawks', derived: {} })])).toEqual([
      { field: 'rows[0].teamName', message: `rows[0].teamName is not a known field; ${known}` },
      { field: 'rows[0].derived', message: `rows[0].derived is not a known field; ${known}` },
    ]);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'])(
    'refuse the key %s, in a row and in its stats',
    (key) => {
      const inRow = parsed(`[{"playerId":"${playerId}","category":"qb","stats":{},"${key}":{"stats":{}}}]`);
      expect(fieldsOf(inRow)).toEqual([`rows[0].${key}`]);
      const inStats = parsed(`[{"playerId":"${playerId}","category":"qb","stats":{"${key}":1,"completions":2}}]`);
      expect(fieldsOf(inStats)).toEqual([`rows[0].stats.${key}`]);
    },
  );

  it('do not take a required field from a sent __proto__', () => {
    const rows = parsed(`[{"__proto__":{"playerId":"${playerId}","category":"qb","stats":{}}}]`);
    expect(fieldsOf(rows)).toEqual(['rows[0].__proto__', 'rows[0].playerId', 'rows[0].category', 'rows[0].stats']);
  });

  it('escape and shorten an unusual name', () => {
    const [odd, empty, long] = problemsOf([row({ 'a\n"b': 1, '': 1, ['x'.repeat(100_000)]: 1 })]);
    expect(odd?.field).toBe('rows[0].stats["a\\n\\"b"]');
    expect(empty?.field).toBe('rows[0].stats[""]');
    expect(long?.message.length).toBeLessThan(200);
  });

  it('may name the same player in every category', () => {
    expect(fieldsOf(statisticsCategories.map((category) => row({}, { category })))).toEqual([]);
  });
});

describe('the problems of rows', () => {
  it('are sorted by row; of each, unknown names come first, then invalid values, then rules between them', () => {
    const first = {
      unknown: 1,
      sacksTaken: 1.5,
      completions: 3,
      passAttempts: 2,
      longestPass: 111,
      passingTouchdowns: 4,
    };
    expect(fieldsOf([row(first, { teamName: 'x' }), 7])).toEqual([
      'rows[0].teamName',
      'rows[0].stats.unknown',
      'rows[0].stats.longestPass',
      'rows[0].stats.sacksTaken',
      'rows[0].stats.completions',
      'rows[0].stats.passingTouchdowns',
      'rows[1]',
    ]);
  });

  it('stop after 50, even if one row has thousands', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`name${index}`, 1]));
    expect(problemsOf([row({ completions: -1 }), row(many, { playerId: anotherPlayer })])).toHaveLength(50);
    expect(problemsOf(Array.from({ length: 900 }, () => null))).toHaveLength(50);
  });
});
