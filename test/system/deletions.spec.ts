import { ObjectId } from 'mongodb';
import { expectError } from '../support/expectations.js';
import { unknownId } from '../support/http-routes.js';
import { FeedMirror } from '../support/feed.js';
import { createOrganization, type Stored, TestOrganization } from '../support/organization.js';
import { type Method, RunningServer } from '../support/server.js';
import { kindNames, type SynchronizedRecords, synchronizedRecords } from '../support/synchronized.js';

interface Bulk {
  data: { result: string; _id?: string; revision?: number; error?: { error: number; details?: { field: string }[] } }[];
  summary: Record<string, number>;
}

const server = RunningServer.forTests();

describe.each(kindNames)('the deletion of a %s by its external ID', (kind) => {
  let records: SynchronizedRecords;
  const create = async (externalId: string) => (await records.create({ externalId }).expect(201)).body as Stored;
  const row = (externalId: string) => ({ ...records.body, externalId });
  const bulk = async (rows: object[], options = {}) => (await records.bulk(rows, options).expect(200)).body as Bulk;
  const resultsOf = ({ data }: Bulk) => data.map(({ error, result }) => error?.error ?? result);

  beforeAll(async () => {
    records = await synchronizedRecords(kind, await createOrganization(server));
  });

  it('removes it and frees the ID; an unknown ID is 404', async () => {
    const record = await create('one');
    expect((await records.remove('one').expect(200)).body).toEqual({
      message: expect.stringMatching(/deleted/) as string,
    });
    expectError(await records.remove('one'), records.notFound);
    expect((await create('one'))._id).not.toBe(record._id);
    const stored = await (await server.database()).collection(`${kind}s`).findOne({ _id: new ObjectId(record._id) });
    expect(stored).toMatchObject({ revision: 2, changedBy: records.organization.asChangedBy() });
    expect(stored?.['deletedAt']).toEqual(stored?.['updatedAt']);
  });

  it('happens in a bulk request, whose rows have the revision; unknown IDs stay unchanged', async () => {
    const { _id } = await create('bulk');
    const rows = ['bulk', 'unknown'].map((externalId) => ({ externalId, delete: true }));
    const dry = await bulk(rows, { dryRun: true });
    const answer = await bulk(rows);
    expect(answer.data).toEqual([
      { index: 0, externalId: 'bulk', result: 'deleted', _id, revision: 2 },
      { index: 1, externalId: 'unknown', result: 'unchanged' },
    ]);
    expect(answer.summary).toEqual({ created: 0, updated: 0, unchanged: 1, deleted: 1, failed: 0 });
    expect({ ...dry, dryRun: false }).toEqual(answer);
    expectError(await records.read('/by-external-id/bulk'), records.notFound);
  });

  it('frees the ID for a later row, also in a dry run', async () => {
    const { _id } = await create('again');
    const rows = [
      { externalId: 'again', delete: true },
      { ...row('again'), delete: false },
    ];
    expect(resultsOf(await bulk(rows, { dryRun: true }))).toEqual(['deleted', 'created']);
    const { data } = await bulk(rows);
    expect(data).toMatchObject([
      { result: 'deleted', _id },
      { result: 'created', revision: 1 },
    ]);
    const current = (await records.read('/by-external-id/again').expect(200)).body as { data: Stored };
    expect(current.data._id).toBe(data[1]?._id);
    expect(current.data).not.toHaveProperty('delete');
  });

  it('fails with other fields, and if it repeats an ID', async () => {
    await create('kept');
    const deletion = { externalId: 'kept', delete: true };
    const answer = await bulk([row('new'), { ...deletion, [records.field]: 'X' }, { ...deletion, externalId: 'new' }]);
    expect(resultsOf(answer)).toEqual(['created', 40001, 40001]);
    expect(answer.data.slice(1).map(({ error }) => error?.details?.[0]?.field)).toEqual([records.field, 'externalId']);
    expect(resultsOf(await bulk([deletion, deletion]))).toEqual(['deleted', 40001]);
  });

  it('deletes each record once if equal requests arrive at once', async () => {
    const ids = Array.from({ length: 10 }, (_none, index) => `many-${index}`);
    await bulk(ids.map(row));
    const deletions = ids.map((externalId) => ({ externalId, delete: true }));
    const answers = await Promise.all([1, 2, 3].map(() => bulk(deletions)));
    expect(answers.reduce((sum, { summary }) => sum + (summary['deleted'] ?? 0), 0)).toBe(10);
    expect(answers.map(({ summary }) => summary['failed'])).toEqual([0, 0, 0]);
  });
});

/** The routes below a team: method, path and body. */
const subResources: [method: Method, path: string, body?: object][] = [
  ['get', 'players'],
  ['post', 'players', { name: 'Sam' }],
  ['post', 'players/bulk', { rows: [{ externalId: 'one', name: 'Sam' }] }],
  ...(['get', 'patch', 'delete'] as const).flatMap((method): [Method, string, object][] => [
    [method, `players/${unknownId}`, {}],
    [method, 'players/by-external-id/one', {}],
  ]),
  ['get', 'calendar-links'],
  ['post', 'calendar-links', {}],
  ['delete', `calendar-links/${unknownId}`],
];

describe('DELETE /teams/{teamId}', () => {
  const organization = TestOrganization.forTests(server);
  const remove = (id: string) => organization.call('delete', `/teams/${id}`);

  it('deletes an empty team, of which only a tombstone remains', async () => {
    const team = await organization.team({ externalId: 'club-7' });
    expectError(await remove(team._id).set('If-Match', '"2"'), 41201);
    await remove(team._id).set('If-Match', '"1"').expect(200);
    for (const method of ['get', 'delete'] as const)
      expectError(await organization.call(method, `/teams/${team._id}`), 40401);
    for (const body of [{ name: 'Owls' }, { season: team['season'] }])
      expectError(await organization.call('patch', `/teams/${team._id}`).send(body), 40401);
    const mirror = new FeedMirror(organization, { kinds: 'team' });
    await mirror.followUntil('the deletion is in the feed', () => mirror.delivered.some(({ deleted }) => deleted));
    expect(mirror.delivered.at(-1)).toMatchObject({
      ...{ kind: 'team', id: team._id, externalId: 'club-7', revision: 2, deleted: true },
      changedBy: organization.asChangedBy(),
    });
    await organization.team({ externalId: 'club-7' });
  });

  it('makes its paths return 40401, those of foreign and unknown teams 40301, as it does itself elsewhere', async () => {
    const [team, { _id: kept }] = [await organization.team(), await organization.team()];
    await remove(team._id).expect(200);
    const foreign = await (await createOrganization(server)).team();
    for (const [method, path, body] of subResources) {
      const of = (id: string) => organization.call(method, `/teams/${id}/${path}`).set('idem-key', id).send(body);
      expectError(await of(team._id), 40401);
      expectError(await of(foreign._id), 40301);
      expectError(await of(unknownId), 40301);
    }
    // In a body or a query, it is one of those that the organization does not have.
    const game = { teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z', teamId: team._id };
    expectError(await organization.call('post', '/schedules').send(game), 40301);
    expectError(await organization.call('get', `/schedules?teamId=${team._id}`), 40301);
    const player = await organization.player(kept);
    const move = organization.call('patch', `/teams/${kept}/players/${player._id}`).send({ teamId: team._id });
    expectError(await move, 40301);
  });

  it('returns 40908 while the team has players or schedules, also as an opponent, and changes nothing', async () => {
    const [team, opponent] = [await organization.team({ externalId: 'used' }), await organization.team()];
    const player = await organization.player(team._id);
    const isUsed = async (id: string, by: string) =>
      expect(expectError(await remove(id), 40908).message).toBe(`The team has ${by}`);
    await isUsed(team._id, 'players (1)');
    await organization.call('delete', `/teams/${team._id}/players/${player._id}`).expect(200);
    const game = await organization.schedule(team._id, { teamTwoId: opponent._id });
    await isUsed(team._id, 'schedules (1)');
    await isUsed(opponent._id, 'schedules (1)');
    const rows = [
      { externalId: 'used', delete: true },
      { externalId: 'used', name: 'Not renamed' },
    ];
    const answer = (await organization.call('post', '/teams/bulk').send({ rows }).expect(200)).body as Bulk;
    expect(answer.data.map(({ error }) => error?.error)).toEqual([40908, 40908]);
    expectError(await organization.call('delete', '/teams/by-external-id/used'), 40908);
    const read = await organization.call('get', `/teams/${team._id}`).expect(200);
    expect(read.body).toEqual({ data: team });
    await organization.call('delete', `/schedules/${game._id}?teamId=${team._id}`).expect(200);
    await remove(team._id).expect(200);
  });

  it('succeeds while the team is changed, and for one of several requests', async () => {
    const team = await organization.team();
    const change = organization.call('patch', `/teams/${team._id}`).send({ ageGroup: '12U' });
    const statuses = await Promise.all(
      [remove(team._id), remove(team._id), change].map(async (each) => (await each).status),
    );
    expect(statuses.slice(0, 2).sort()).toEqual([200, 404]);
  });
});
