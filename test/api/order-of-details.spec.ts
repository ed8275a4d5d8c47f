import type { Response } from 'supertest';
import { expectError } from '../support/expectations.js';
import { type Stored, TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';
import type { BulkResponse } from '../../src/records/bulk.dto.js';

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let schedule: Stored;

beforeAll(async () => {
  const { _id: teamId } = await organization.team();
  const body = { teamId, teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z' };
  schedule = (await organization.call('post', '/schedules').send(body).expect(201)).body as Stored;
});

interface Details {
  readonly message: string;
  readonly details?: readonly { readonly field: string; readonly message: string }[];
}

const rejection = async (sent: PromiseLike<Response>): Promise<Details> => expectError(await sent, 40001);
const unknown = { zeta: 1, alpha: 1 };
const creator = { name: '', ...unknown, email: 'x' };
const playerId = 'f'.repeat(24);
const counters = { completions: 3, passAttempts: 2, longestPass: 'x', sacksTaken: -1, ...unknown };
const writeStatistics = () =>
  rejection(
    organization.call('put', `/schedules/${schedule._id}/player-statistics`).send({
      rows: [
        { category: 'kick', ...unknown, stats: 1 },
        { playerId, category: 'qb', stats: counters },
      ],
    }),
  );

/** What to send; the path of the object that has the problems; its invalid fields, and what breaks rules between fields. */
type Case = [what: string, send: () => Promise<Details>, path: string, fields: string[], rules: string[]];

const cases: Case[] = [
  [
    'the body of a create',
    () => rejection(organization.call('post', '/teams').send({ name: 5, ...unknown })),
    '',
    ['name', 'season'],
    [],
  ],
  [
    'a query',
    () => rejection(organization.call('get', '/teams?limit=0&zeta=1&page=x&alpha=1')),
    '',
    ['limit', 'page'],
    [],
  ],
  [
    'the body of an admin',
    () => rejection(server.asSuperAdmin('post', '/seasons').send({ startDate: 'x', ...unknown, name: '' })),
    '',
    ['endDate', 'name', 'startDate'],
    [],
  ],
  [
    'a nested object',
    () => rejection(server.asSuperAdmin('post', '/organizations').send({ name: 'Bay', creator })),
    'creator.',
    ['email', 'name'],
    [],
  ],
  [
    'a row of a bulk request, whose names have no path',
    async () => {
      const rows = [{ name: 5, ...unknown }];
      const response = await organization.call('post', '/teams/bulk').send({ rows });
      const [row] = (response.body as BulkResponse).data;
      if (row?.error === undefined) throw new Error('The row is accepted');
      return row.error;
    },
    '',
    ['externalId', 'name'],
    [],
  ],
  ['a row of statistics', writeStatistics, 'rows[0].', ['category', 'playerId', 'stats'], []],
  ['the counters of a row', writeStatistics, 'rows[1].stats.', ['longestPass', 'sacksTaken'], ['completions']],
];

describe('`details`', () => {
  it.each(cases)(
    'has unknown names first, as sent, then invalid fields, then rules between fields: %s',
    async (_, send, path, fields, rules) => {
      const { message, details = [] } = await send();
      expect(message).toBe(details[0]?.message);
      const names = details.map(({ field }) => field);
      const inside = names.filter((field) => field.startsWith(path)).map((field) => field.slice(path.length));
      const unknownNames = Object.keys(unknown);
      expect(inside.slice(0, unknownNames.length)).toEqual(unknownNames);
      // The order of the fields is not promised.
      const end = unknownNames.length + fields.length;
      expect(inside.slice(unknownNames.length, end).sort()).toEqual(fields);
      expect(inside.slice(end)).toEqual(rules);
    },
  );

  it('has all problems of a row of statistics before those of the next row', async () => {
    const { details = [] } = await writeStatistics();
    const rows = details.map(({ field }) => /^rows\[(\d)\]/.exec(field)?.[1]);
    expect(rows).toEqual([...rows].sort());
    expect(new Set(rows)).toEqual(new Set(['0', '1']));
  });
});
