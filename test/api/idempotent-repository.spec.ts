import type { OrganizationScope } from '../../src/common/context/request-context.js';
import { toRecordId } from '../../src/database/record.js';
import type { IdempotencyKey } from '../../src/idempotency/idempotency-key.js';
import { IdempotencyKeyUsed } from '../../src/idempotency/idempotent.repository.js';
import { TeamsRepository } from '../../src/modules/teams/teams.repository.js';
import { newScope, FixedClock, TestApplication } from '../support/application.js';
import { buildTeamRecord } from '../support/records.js';

const day = 24 * 60 * 60 * 1_000;
const key: IdempotencyKey = { scope: 'POST /teams', keyHash: 'hash of the key', fingerprint: 'hash of the body' };
const response = { _id: '1', name: 'Hawks' };

describe('a create with an idem-key', () => {
  let application: TestApplication;
  let teams: TeamsRepository;
  let clock: FixedClock;
  let scope: OrganizationScope;

  beforeAll(async () => {
    clock = new FixedClock();
    application = await TestApplication.start(clock);
    teams = application.get(TeamsRepository);
  });

  afterAll(() => application.stop());

  beforeEach(() => {
    scope = newScope();
  });

  const create = (name = 'Hawks', of = key) =>
    teams.insertOnce(scope, buildTeamRecord(scope, { name }), of, { ...response, name });
  const stored = () =>
    application.connection
      .collection('teams')
      .find({ organizationId: toRecordId(scope.organization.id) })
      .sort({ _id: 1 })
      .toArray();

  it('stores one document, in which the key, the body’s fingerprint and the first answer stand', async () => {
    await create();
    const [document, ...more] = await stored();
    expect(more).toEqual([]);
    expect(document).toMatchObject({ name: 'Hawks', idempotency: { ...key, answer: JSON.stringify(response) } });
    expect(document?.['idempotency']).toMatchObject({ at: clock.now() });
  });

  it('is refused a second time, and the first answer is found again', async () => {
    await create('Hawks');
    await expect(create('Foxes')).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    expect((await stored()).map(({ name }) => String(name))).toEqual(['Hawks']);
    expect(JSON.parse((await teams.findFirstResponse(scope, key))?.answer ?? '')).toEqual(response);
  });

  it('is remembered for a millisecond less than 24 hours', async () => {
    await create('Hawks');
    clock.advance(day - 1);
    expect(await teams.findFirstResponse(scope, key)).toMatchObject({ fingerprint: key.fingerprint });
    await expect(create('Foxes')).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    expect(await stored()).toHaveLength(1);
  });

  it('is forgotten after 24 hours to the millisecond: the key creates again, and the new answer counts', async () => {
    await create('Hawks');
    clock.advance(day);
    expect(await teams.findFirstResponse(scope, key)).toBeNull();
    await create('Foxes');
    const documents = await stored();
    expect(documents.map(({ name }) => String(name))).toEqual(['Hawks', 'Foxes']);
    expect(JSON.parse((await teams.findFirstResponse(scope, key))?.answer ?? '')).toEqual({
      ...response,
      name: 'Foxes',
    });
  });

  it('clears an outdated mark and leaves its record as it was', async () => {
    await create('Hawks');
    const [before] = await stored();
    clock.advance(day);
    await create('Foxes');
    const [after] = await stored();
    const { idempotency, ...record }: Record<string, unknown> = before ?? {};
    expect(idempotency).toBeDefined();
    expect(after).toEqual(record);
  });

  it('counts the 24 hours of a new creation from that creation', async () => {
    await create('Hawks');
    clock.advance(day);
    await create('Foxes');
    clock.advance(day - 1);
    await expect(create('Bears')).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    clock.advance(1);
    await create('Bears');
    expect(await stored()).toHaveLength(3);
  });

  it.each([
    ['a new key', 0],
    ['a key whose 24 hours are over', day],
  ])('creates one record when twenty come at once with %s', async (_, age) => {
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
  ])('is another creation with %s', async (_, of) => {
    await create('Hawks');
    expect(await teams.findFirstResponse(scope, of)).toBeNull();
    await create('Foxes', of);
    expect(await stored()).toHaveLength(2);
  });

  it('is another creation in another organization, which learns nothing of the first', async () => {
    await create('Hawks');
    const other = newScope();
    expect(await teams.findFirstResponse(other, key)).toBeNull();
    await teams.insertOnce(other, buildTeamRecord(other), key, response);
    expect(await teams.findFirstResponse(other, key)).toMatchObject({ answer: JSON.stringify(response) });
  });

  it('is the same creation with another body, so that the caller can be told of the difference', async () => {
    await create('Hawks');
    await expect(create('Foxes', { ...key, fingerprint: 'another' })).rejects.toBeInstanceOf(IdempotencyKeyUsed);
    expect(await teams.findFirstResponse(scope, key)).toMatchObject({ fingerprint: key.fingerprint });
  });

  it('leaves no mark when the record cannot be stored', async () => {
    const broken = { ...buildTeamRecord(scope), unknown: 1 };
    await expect(teams.insertOnce(scope, broken, key, response)).rejects.toThrow(/unknown/);
    expect(await teams.findFirstResponse(scope, key)).toBeNull();
    await create('Hawks');
    expect(await stored()).toHaveLength(1);
  });

  it('is without a mark, and can be repeated, where no key was sent', async () => {
    for (const name of ['Hawks', 'Foxes'])
      await teams.insertOnce(scope, buildTeamRecord(scope, { name }), undefined, response);
    const documents = await stored();
    expect(documents).toHaveLength(2);
    for (const document of documents) expect(document).not.toHaveProperty('idempotency');
  });
});
