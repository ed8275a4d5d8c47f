import { expectError, expectFieldError } from '../support/expectations.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { defaultStart, minutesAfterStart, patchSchedule, postSchedule } from '../support/schedules.js';
import { RunningServer } from '../support/server.js';

type Body = Record<string, unknown>;

interface Row {
  result: string;
  _id?: string;
  error?: { error: number; message: string; details?: { field: string }[] };
}

const server = RunningServer.forTests();
const organization = TestOrganization.forTests(server);
let team: Stored;
let opponent: Stored;
let foreign: Stored;
let count = 0;

beforeAll(async () => {
  team = await organization.team({ name: 'Hawks' });
  opponent = await organization.team({ name: 'Foxes' });
  foreign = await (await createOrganization(server)).team();
});

const newId = () => `game-${++count}`;
const minimal = () => ({ teamId: team._id, startDate: defaultStart, teamTwoName: 'Guests' });
const upsert = (externalId: string, body: Body) =>
  organization.call('patch', `/schedules/by-external-id/${externalId}`).send(body);
const bulk = async (rows: Body[], options: Body = {}) => {
  const response = await organization.call('post', '/schedules/bulk').send({ rows, ...options });
  expect(response.status).toBe(200);
  return (response.body as { data: Row[] }).data;
};
const read = async (externalId: string) =>
  ((await organization.call('get', `/schedules/by-external-id/${externalId}`).expect(200)).body as { data: Stored })
    .data;
const expectNone = async (externalId: string) =>
  expectError(await organization.call('get', `/schedules/by-external-id/${externalId}`), 40402);
const create = async (fields: Body = {}) =>
  (await upsert(newId(), { ...minimal(), ...fields }).expect(201)).body as Stored;
const idOf = (schedule: Stored) => String(schedule['externalId']);

/** Both ways to upsert one schedule; each returns the error code, or undefined. */
const ways: Record<string, (externalId: string, body: Body) => Promise<number | undefined>> = {
  'a single request': async (externalId, body) => ((await upsert(externalId, body)).body as { error?: number }).error,
  'a bulk request': async (externalId, body) => (await bulk([{ ...body, externalId }]))[0]?.error?.error,
};

describe.each(Object.entries(ways))('an upsert of a schedule by %s', (_way, send) => {
  const creates: [string, () => Body, () => Body][] = [
    ['a linked opponent', () => ({ teamTwoId: opponent._id, enableYardage: true }), () => ({})],
    [
      'null for optional fields',
      () => ({}),
      () => ({ endDate: null, eventTitle: null, teamTwoId: null, placeId: null }),
    ],
    ['a title', () => ({}), () => ({ eventTitle: 'Final' })],
  ];

  it.each(creates)('creates what a POST creates, with %s', async (_what, fields, more) => {
    const externalId = newId();
    const posted = (await postSchedule(organization, { ...minimal(), ...fields() }).expect(201)).body as Stored;
    expect(await send(externalId, { ...minimal(), ...fields(), ...more() })).toBeUndefined();
    const created = await read(externalId);
    const own = { _id: created._id, externalId, createdAt: created['createdAt'], updatedAt: created['updatedAt'] };
    const title = more()['eventTitle'] ?? posted['eventTitle'];
    expect(created).toEqual({ ...posted, ...own, eventTitle: title });
  });

  const changes: [string, () => Body][] = [
    ['"endDate": null', () => ({ startDate: minutesAfterStart(100), duration: 60, endDate: null })],
    ['an opponent and "eventTitle": null', () => ({ teamTwoId: opponent._id.toUpperCase(), eventTitle: null })],
    ['"teamTwoId": null', () => ({ teamTwoId: null })],
  ];

  it.each(changes)('changes what a PATCH changes, with %s', async (_what, fields) => {
    const other = { endDate: minutesAfterStart(37), eventTitle: 'Final', locationName: 'Park', practiceNote: 'Run.' };
    const [one, patched] = [await create(other), await create(other)];
    const expected = (await patchSchedule(organization, patched._id, { teamId: team._id, ...fields() }).expect(200))
      .body as Stored;
    // The owner is not required.
    expect(await send(idOf(one), fields())).toBeUndefined();
    const changed = await read(idOf(one));
    const { _id, externalId, createdAt } = one;
    expect(changed).toEqual({ ...expected, _id, externalId, createdAt, updatedAt: changed['updatedAt'] });
  });

  it('keeps revision and updatedAt if it changes nothing', async () => {
    const one = await create({ teamTwoId: opponent._id });
    const same = { ...minimal(), teamId: team._id.toUpperCase(), teamTwoName: undefined, teamTwoId: opponent._id };
    for (const body of [{}, same, { endDate: null, eventTitle: one['eventTitle'] }, { placeId: null }]) {
      expect(await send(idOf(one), body)).toBeUndefined();
      expect(await read(idOf(one))).toEqual(one);
    }
  });

  const rejectedCreates: [string, () => Body, number][] = [
    ['no teamId', () => ({ teamId: undefined }), 40001],
    ['no opponent', () => ({ teamTwoName: undefined }), 40002],
    ["another organization's team", () => ({ teamId: foreign._id }), 40301],
    ['itself as opponent', () => ({ teamTwoId: team._id }), 40001],
  ];

  it.each(rejectedCreates)('rejects a create with %s, and creates nothing', async (_what, fields, error) => {
    const externalId = newId();
    expect(await send(externalId, { ...minimal(), ...fields() })).toBe(error);
    await expectNone(externalId);
  });

  const rejectedUpdates: [string, () => Body, number][] = [
    ['another team of the organization as owner', () => ({ teamId: opponent._id }), 40304],
    ["another organization's team as owner", () => ({ teamId: foreign._id }), 40301],
    ['an end at the stored start', () => ({ endDate: defaultStart }), 40001],
    ['yardage without a field size', () => ({ enableYardage: true }), 40001],
  ];

  it.each(rejectedUpdates)('rejects an update with %s, and changes nothing', async (_what, fields, error) => {
    const one = await create();
    expect(await send(idOf(one), { locationName: 'Park', ...fields() })).toBe(error);
    expect(await read(idOf(one))).toEqual(one);
  });
});

it('names the fields that a create requires', async () => {
  const error = expectFieldError(await upsert(newId(), { teamTwoName: 'Guests' }), 'teamId');
  expect(error.details?.map(({ field }) => field).sort()).toEqual(['startDate', 'teamId']);
});

describe('a bulk upsert of schedules with foreign teams', () => {
  it('refuses only their rows, with the error of each row, also in a dry run', async () => {
    const existing = await create();
    const rows = [
      { ...minimal(), teamId: foreign._id },
      minimal(),
      { ...minimal(), teamTwoId: foreign._id },
      { teamId: opponent._id },
      { ...minimal(), teamId: opponent._id },
    ].map((row, index) => ({ ...row, externalId: index === 3 ? idOf(existing) : newId() }));
    const outcomesOf = (data: Row[]) => data.map(({ result, error }) => error?.error ?? result);
    const expected = [40301, 'created', 40301, 40304, 'created'];
    expect(outcomesOf(await bulk(rows, { dryRun: true }))).toEqual(expected);
    for (const { externalId } of [rows[1], rows[4]].filter((row) => row !== undefined)) await expectNone(externalId);
    const data = await bulk(rows);
    expect(outcomesOf(data)).toEqual(expected);
    const message = "The team does not belong to the API key's organization";
    for (const [index, field] of [[0, 'teamId'] as const, [2, 'teamTwoId'] as const]) {
      const details = [{ field, message: `${field} is not a team of the API key's organization` }];
      expect(data[index]?.error).toEqual({ error: 40301, message, details });
    }
    expect(await read(String(rows[4]?.externalId))).toMatchObject({ teamOneId: opponent._id });
    expect(await read(idOf(existing))).toEqual(existing);
    const { total } = (
      await organization.call('get', `/schedules?teamId=${opponent._id}&externalId=${rows[4]?.externalId}`)
    ).body as { total: number };
    expect(total).toBe(1);
  });
});
