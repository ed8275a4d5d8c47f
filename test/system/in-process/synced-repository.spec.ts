import type { OrganizationScope } from '../../../src/access/request-context.js';
import { toRecordId } from '../../../src/database/record.js';
import type { IdempotencyKey } from '../../../src/access/request-context.js';
import { IdempotencyKeyUsed } from '../../../src/records/synced.repository.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { newScope, FixedClock, TestApplication } from '../../support/application.js';
import { buildTeamRecord } from '../../support/records.js';

const day = 24 * 60 * 60 * 1_000;
const key: IdempotencyKey = { scope: 'POST /teams', keyHash: 'hash of the key', fingerprint: 'hash of the body' };
const response = { _id: '1', name: 'Hawks' };

describe('insertIdempotent', () => {
  const clock = new FixedClock();
  const application = TestApplication.forTests(clock);
  let teams: TeamsRepository;
  let scope: OrganizationScope;

  beforeAll(() => {
    teams = application.get(TeamsRepository);
  });

  beforeEach(() => {
    scope = newScope();
  });

  const create = (name = 'Hawks', of = key) =>
    teams.insertIdempotent(scope, buildTeamRecord(scope, { name }), of, { ...response, name });
  const stored = () =>
    application.connection
      .collection('teams')
      .find({ organizationId: toRecordId(scope.organization.id) })
      .sort({ _id: 1 })
      .toArray();

  it('stores key, body fingerprint and first response in the created record', async () => {
    await create();
    const [document, ...more] = await stored();
    expect(more).toEqual([]);
    expect(document).toMatchObject({ name: 'Hawks', idempotency: { ...key, answer: JSON.stringify(response) } });
    expect(document?.['idempotency']).toMatchObject({ at: clock.now() });
  });

  it('rejects a second use, and the first response can be found', async () => {
    await create('Hawks');
    await expect(create('Foxes')).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    expect((await stored()).map(({ name }) => String(name))).toEqual(['Hawks']);
    expect(JSON.parse((await teams.findFirstResponse(scope, key))?.answer ?? '')).toEqual(response);
  });

  it('clears an expired key and keeps its record unchanged', async () => {
    await create('Hawks');
    const [before] = await stored();
    clock.advance(day);
    await create('Foxes');
    const [after] = await stored();
    const { idempotency, ...record }: Record<string, unknown> = before ?? {};
    expect(idempotency).toBeDefined();
    expect(after).toEqual(record);
  });

  it('counts 24 hours from the new creation', async () => {
    await create('Hawks');
    clock.advance(day);
    await create('Foxes');
    clock.advance(day - 1);
    await expect(create('Bears')).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    expect(await teams.findFirstResponse(scope, key)).toMatchObject({
      answer: expect.stringContaining('Foxes') as string,
    });
    clock.advance(1);
    expect(await teams.findFirstResponse(scope, key)).toBeNull();
    await create('Bears');
    expect(await stored()).toHaveLength(3);
  });

  it.each([
    ['a new key', 0],
    ['a key whose 24 hours are over', day],
  ])('creates one record for twenty concurrent calls with %s', async (_, age) => {
    if (age > 0) await create('Hawks');
    clock.advance(age);
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_unused, index) => create(`Team ${index}`)));
    const rejected = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(rejected).toHaveLength(19);
    for (const reason of rejected) expect(reason).toBeInstanceOf(IdempotencyKeyUsed);
    const documents = await stored();
    const stamped = documents.filter(({ idempotency }) => idempotency !== undefined);
    expect(stamped).toHaveLength(1);
    expect(documents).toHaveLength(age > 0 ? 2 : 1);
    expect(JSON.parse((await teams.findFirstResponse(scope, key))?.answer ?? '')).toMatchObject({
      name: stamped[0]?.['name'] as string,
    });
  });

  it.each([
    ['another path', { ...key, scope: 'POST /schedules' }],
    ['another key', { ...key, keyHash: 'another' }],
  ])('creates another record for %s', async (_, of) => {
    await create('Hawks');
    expect(await teams.findFirstResponse(scope, of)).toBeNull();
    await create('Foxes', of);
    expect(await stored()).toHaveLength(2);
  });

  it('stores no key without an idem-key, and can be repeated', async () => {
    for (const name of ['Hawks', 'Foxes'])
      await teams.insertIdempotent(scope, buildTeamRecord(scope, { name }), undefined, response);
    const documents = await stored();
    expect(documents).toHaveLength(2);
    for (const document of documents) expect(document).not.toHaveProperty('idempotency');
  });
});

describe('the version of the records of an organization', () => {
  const clock = new FixedClock();
  const application = TestApplication.forTests(clock);

  it('differs after every write, and is the time of the last one when none can follow with an earlier time', async () => {
    const [scope, teams] = [newScope(), application.get(TeamsRepository)];
    const versions: string[] = [];
    const writeAt = async (updatedAt: Date) => {
      await teams.insertIdempotent(scope, buildTeamRecord(scope, { updatedAt }), undefined, {});
      versions.push(await teams.findVersion(scope));
    };
    const last = clock.now();
    await writeAt(last);
    await writeAt(last);
    // Stored later than a record with a later time.
    await writeAt(new Date(last.getTime() - 1_000));
    clock.advance(60_000);
    versions.push(await teams.findVersion(scope));
    await writeAt(clock.now());
    expect(new Set(versions).size).toBe(5);
    expect(versions[3]).toBe(String(last.getTime()));
    expect(await teams.findVersion(newScope())).toBe('');
  });
});
