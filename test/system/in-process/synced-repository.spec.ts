import type { Tenant } from '../../../src/access/request-context.js';
import { toRecordId } from '../../../src/database/record.js';
import type { IdempotencyKey } from '../../../src/access/request-context.js';
import { IdempotencyKeyUsed } from '../../../src/records/synced.repository.js';
import { TeamsRepository } from '../../../src/modules/teams/teams.repository.js';
import { newTenant, FixedClock, TestApplication } from '../../support/application.js';
import { buildTeamRecord } from '../../support/records.js';

const day = 24 * 60 * 60 * 1_000;
const key: IdempotencyKey = { route: 'POST /teams', keyHash: 'hash of the key', fingerprint: 'hash of the body' };
const response = { _id: '1', name: 'Hawks' };

const clock = new FixedClock();
const application = TestApplication.forTests(clock);

describe('insertIdempotent', () => {
  let teams: TeamsRepository;
  let tenant: Tenant;

  beforeAll(() => {
    teams = application.get(TeamsRepository);
  });

  beforeEach(() => {
    tenant = newTenant();
  });

  const create = (name = 'Hawks', of = key) =>
    teams.insertIdempotent(tenant, buildTeamRecord(tenant, { name }), of, { ...response, name });
  const stored = () =>
    application.connection
      .collection('teams')
      .find({ organizationId: toRecordId(tenant.organization.id) })
      .sort({ _id: 1 })
      .toArray();

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
    expect(await teams.findFirstResponse(tenant, key)).toMatchObject({
      answer: expect.stringContaining('Foxes') as string,
    });
    clock.advance(1);
    expect(await teams.findFirstResponse(tenant, key)).toBeNull();
    await create('Bears');
    expect(await stored()).toHaveLength(3);
  });

  it('creates one record for twenty concurrent calls with a key whose 24 hours are over', async () => {
    await create('Hawks');
    clock.advance(day);
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_unused, index) => create(`Team ${index}`)));
    const rejected = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(rejected).toHaveLength(19);
    for (const reason of rejected) expect(reason).toBeInstanceOf(IdempotencyKeyUsed);
    const documents = await stored();
    expect(documents).toHaveLength(2);
    const stamped = documents.find(({ idempotency }) => idempotency !== undefined);
    const name = stamped?.['name'] as string;
    expect(JSON.parse((await teams.findFirstResponse(tenant, key))?.answer ?? '')).toMatchObject({ name });
  });

  it.each([
    ['another path', { ...key, route: 'POST /schedules' }],
    ['another key', { ...key, keyHash: 'another' }],
  ])('creates another record for %s', async (_, of) => {
    await create('Hawks');
    expect(await teams.findFirstResponse(tenant, of)).toBeNull();
    await create('Foxes', of);
    expect(await stored()).toHaveLength(2);
  });
});

describe('the version of the records of an organization', () => {
  it('differs after every write, and is the time of the last one when none can follow with an earlier time', async () => {
    const [tenant, teams] = [newTenant(), application.get(TeamsRepository)];
    const versions: string[] = [];
    const writeAt = async (updatedAt: Date) => {
      await teams.insertIdempotent(tenant, buildTeamRecord(tenant, { updatedAt }), undefined, {});
      versions.push(await teams.findVersion(tenant));
    };
    const last = clock.now();
    await writeAt(last);
    await writeAt(last);
    // Stored later than a record with a later time.
    await writeAt(new Date(last.getTime() - 1_000));
    clock.advance(60_000);
    versions.push(await teams.findVersion(tenant));
    await writeAt(clock.now());
    expect(new Set(versions).size).toBe(5);
    expect(versions[3]).toBe(String(last.getTime()));
    expect(await teams.findVersion(newTenant())).toBe('');
  });
});
