import { createOrganization, type Stored, type TestOrganization } from '../support/organization.js';
import { RunningServer } from '../support/server.js';

interface Bulk {
  data: { result: string; _id?: string; revision?: number; error?: { error: number; message: string } }[];
  summary: Record<string, number>;
}

const server = RunningServer.forTests();
let organization: TestOrganization;
let teams: Stored[];
let [hawks, foxes, owls]: string[] = [];

beforeEach(async () => {
  organization = await createOrganization(server);
  const season = (await organization.season())._id;
  teams = [];
  for (const externalId of ['hawks', 'foxes', 'owls']) teams.push(await organization.team({ season, externalId }));
  [hawks, foxes, owls] = teams.map(({ _id }) => _id);
});

const post = (rows: object[], options = {}) => organization.call('post', '/players/bulk').send({ rows, ...options });
const send = async (rows: object[], options = {}) => (await post(rows, options).expect(200)).body as Bulk;
const resultsOf = ({ data }: Bulk) => data.map(({ result, error }) => error?.error ?? result);
const add = (teamId = '', externalId = 'p', fields = {}) => organization.player(teamId, { externalId, ...fields });
/** The teams of the players with an external ID. */
async function teamsOf(externalId = 'p'): Promise<unknown[]> {
  const { data } = (await organization.call('get', `/players?externalId=${externalId}`)).body as { data: Stored[] };
  return data.map(({ teamId }) => teamId);
}

it('creates, updates, deletes and moves players of several teams, named by either ID', async () => {
  const [same, changed, gone, mover] = [await add(hawks), await add(foxes), await add(owls, 'g'), await add(owls, 'm')];
  const answer = await send([
    { externalId: 'p', teamId: hawks },
    { externalId: 'p', teamExternalId: 'foxes', name: 'Sam' },
    { externalId: 'g', teamId: String(owls).toUpperCase(), delete: true },
    { externalId: 'm', teamExternalId: 'hawks', move: true, jerseyNumber: '8' },
    { externalId: 'n', teamId: owls, name: 'New', move: true },
    { externalId: 'x', teamExternalId: 'nobody', name: 'Sam' },
  ]);
  const [created] = ((await organization.call('get', `/teams/${owls}/players`)).body as { data: Stored[] }).data;
  expect(answer).toMatchObject({
    data: [
      { result: 'unchanged', _id: same._id, revision: 1 },
      { result: 'updated', _id: changed._id, revision: 2 },
      { result: 'deleted', _id: gone._id, revision: 2 },
      { result: 'moved', _id: mover._id, revision: 2 },
      { result: 'created', _id: created?._id, revision: 1 },
      { result: 'failed', error: { error: 40301, details: [{ field: 'teamExternalId' }] } },
    ],
    summary: { created: 1, updated: 1, unchanged: 1, deleted: 1, moved: 1, failed: 1 },
  });
  const { data } = (await organization.call('get', `/teams/${hawks}/players/${mover._id}`)).body as { data: Stored };
  expect(data).toEqual({ ...mover, teamId: hawks, jerseyNumber: '8', revision: 2, updatedAt: data['updatedAt'] });
});

it('a dry run moves nobody, and answers the same; a repetition leaves every row unchanged', async () => {
  const { _id } = await add(hawks);
  const rows = [{ externalId: 'p', teamId: foxes, move: true }];
  expect((await send(rows, { dryRun: true })).data).toMatchObject([{ result: 'moved', _id, revision: 2 }]);
  expect(await teamsOf()).toEqual([hawks]);
  expect([resultsOf(await send(rows)), resultsOf(await send(rows))]).toEqual([['moved'], ['unchanged']]);
});

it.each<[string, boolean | undefined, string[], (string | number)[], string[]]>([
  ['without move, creates another player', undefined, ['hawks'], ['created'], ['hawks', 'foxes']],
  [
    'updates the player of its own team, whoever else has the ID',
    true,
    ['foxes', 'owls'],
    ['updated'],
    ['foxes', 'owls'],
  ],
  ['moves nobody if several other teams have the ID', true, ['hawks', 'owls'], [40905], ['hawks', 'owls']],
])('a row %s', async (_what, move, before, results, after) => {
  const idOf = (name: string) => String(teams.find(({ externalId }) => externalId === name)?._id);
  for (const name of before) await add(idOf(name));
  const answer = await send([{ externalId: 'p', teamId: foxes, name: 'Sam', ...(move && { move }) }]);
  expect(resultsOf(answer)).toEqual(results);
  expect(await teamsOf()).toEqual(after.map(idOf));
  for (const { error } of answer.data)
    if (error) for (const name of before) expect(error.message).toContain(idOf(name));
});

it('takes an external ID once for each team, however the team is named, and again after its deletion', async () => {
  await add(hawks);
  const rows = [
    { externalId: 'p', teamId: hawks, delete: true },
    { externalId: 'p', teamExternalId: 'hawks', name: 'Again' },
    { externalId: 'p', teamId: foxes, name: 'Sam' },
    { externalId: 'p', teamExternalId: 'foxes', name: 'Twice' },
    { externalId: 'q', teamId: foxes, name: 7 },
    { externalId: 'q', teamExternalId: 'foxes', name: 'Twice' },
  ];
  expect(resultsOf(await send(rows, { dryRun: true }))).toEqual(['deleted', 'created', 'created', 40001, 40001, 40001]);
  expect(resultsOf(await send(rows))).toEqual(['deleted', 'created', 'created', 40001, 40001, 40001]);
  expect((await teamsOf()).sort()).toEqual([hawks, foxes].sort());
});

it.each([
  ['a row of another team', { teamExternalId: 'owls', name: 'Sam' }, 'created'],
  ['another row that moves the player', { teamExternalId: 'owls', move: true }, 40001],
  ['a deletion in the other team', { teamExternalId: 'hawks', delete: true }, 'deleted'],
])('a row moves nobody beside %s, whichever is first', async (_what, other, result) => {
  const row = { externalId: 'p', teamId: foxes, name: 'Sam', move: true };
  for (const rows of [
    [row, { externalId: 'p', ...other }],
    [{ externalId: 'p', ...other }, row],
  ]) {
    await add(hawks);
    expect(resultsOf(await send(rows)).sort()).toEqual([40001, result].sort());
    expect(await teamsOf()).not.toContain(foxes);
    for (const teamId of await teamsOf())
      await organization.call('delete', `/teams/${String(teamId)}/players/by-external-id/p`).expect(200);
  }
});

it('moves a player beside a row of the same ID that is wrong', async () => {
  await add(hawks);
  const rows = [
    { externalId: 'p', teamExternalId: 'typo', name: 'Sam' },
    { externalId: 'p', teamId: foxes, move: true },
  ];
  expect(resultsOf(await send(rows))).toEqual([40301, 'moved']);
});

it('moves no player of another organization', async () => {
  const other = await createOrganization(server);
  const { _id: teamId } = await other.team();
  await other.player(teamId, { externalId: 'p' });
  expect(resultsOf(await send([{ externalId: 'p', teamId: foxes, name: 'Sam', move: true }]))).toEqual(['created']);
  expect((await other.call('get', `/teams/${teamId}/players`)).body).toMatchObject({ total: 1 });
});

it.each<[string, object, string[]]>([
  ['no team', {}, ['teamId']],
  ['both IDs of a team', { teamId: '1', teamExternalId: 'hawks' }, ['teamExternalId']],
  ['a null', { teamId: null }, ['teamId']],
  [
    'a deletion with other fields',
    { teamExternalId: 'hawks', delete: true, move: true, name: 'Sam' },
    ['name', 'move'],
  ],
])('a row with %s fails', async (_what, fields, invalid) => {
  const { data } = await send([{ externalId: 'p', name: 'Sam', ...fields }]);
  expect(data).toMatchObject([{ error: { error: 40001, details: invalid.map((field) => ({ field })) } }]);
});

it('requests that move players to and fro at once lose and double none', async () => {
  const ids = Array.from({ length: 30 }, (_none, index) => `m-${index}`);
  await send(ids.map((externalId) => ({ externalId, teamId: hawks, name: 'Sam' })));
  const moveTo = (teamId?: string) => send(ids.map((externalId) => ({ externalId, teamId, move: true })));
  const answers = await Promise.all([foxes, owls, hawks, foxes, owls, hawks].map(moveTo));
  expect(answers.map(({ summary }) => [summary['created'], summary['failed']])).toEqual(Array(6).fill([0, 0]));
  const response = await organization.call('get', '/players?limit=100');
  const { data, total } = response.body as { data: Stored[]; total: number };
  const moves = answers.flatMap(({ data: rows }) => rows).filter(({ result }) => result === 'moved').length;
  expect(total).toBe(30);
  expect(data.reduce((sum, { revision }) => sum + Number(revision) - 1, 0)).toBe(moves);
});
