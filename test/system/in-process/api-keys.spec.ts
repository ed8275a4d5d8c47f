import type { Collection } from 'mongodb';
import { unconditional } from '../../../src/access/request-context.js';
import { hashSecret } from '../../../src/access/secret-hasher.js';
import { newRecordId, type RecordId, toRecordId } from '../../../src/database/record.js';
import { ApiKeyAuthenticator } from '../../../src/modules/api-keys/api-key-authenticator.js';
import { formatApiKey, newKeyPrefix, newSecret } from '../../../src/modules/api-keys/api-key-format.js';
import { ApiKeysRepository } from '../../../src/modules/api-keys/api-keys.repository.js';
import { ApiKeysService } from '../../../src/modules/api-keys/api-keys.service.js';
import { OrganizationsService } from '../../../src/modules/organizations/organizations.service.js';
import type { FailedRequestRecord } from '../../../src/modules/usage/failed-request.schema.js';
import { FailedRequestsRepository } from '../../../src/modules/usage/failed-requests.repository.js';
import type { RequestCount } from '../../../src/modules/usage/request-count.schema.js';
import { UsageRepository } from '../../../src/modules/usage/usage.repository.js';
import { UsageService } from '../../../src/modules/usage/usage.service.js';
import { FixedClock, TestApplication } from '../../support/application.js';

const hour = 3_600_000;
const operator = { system: 'cli', ...unconditional } as const;
const clock = new FixedClock(new Date());
const application = TestApplication.forTests(clock);

describe('the last use of a key', () => {
  it('is never moved back', async () => {
    const repository = application.get(ApiKeysRepository);
    const stored = application.connection.collection('apiKeys');
    const _id = newRecordId();
    await stored.insertOne({ _id, name: 'ERP' });
    const [early, late] = [new Date('2027-05-01T10:00:00Z'), new Date('2027-05-01T10:01:00Z')];
    const use = { keyId: String(_id), address: '203.0.113.7', isPreviousSecret: true };
    await repository.updateLastUsed([{ ...use, at: late }]);
    await repository.updateLastUsed([{ ...use, at: early }]);
    expect(await stored.findOne({ _id })).toMatchObject({ lastUsedAt: late, previousSecretUsedAt: late });
  });
});

describe('a change of a key', () => {
  let keys: ApiKeysService;
  let organizationId: string;

  beforeAll(async () => {
    keys = application.get(ApiKeysService);
    const _id = newRecordId();
    organizationId = String(_id);
    await application.connection.collection('organizations').insertOne({ _id, name: 'Bay Area' });
  });

  const stored = (id: string) => application.connection.collection('apiKeys').findOne({ _id: toRecordId(id) });
  const create = () => keys.create(operator, { name: 'ERP', organizationId });

  it('removes the hash of a previous secret once its grace period is over', async () => {
    const [short, long] = [await create(), await create()];
    await keys.rotate(operator, short.id, { graceSeconds: 60 });
    await keys.rotate(operator, long.id, { graceSeconds: 3_600 });
    await application.get(ApiKeysRepository).removePreviousSecrets(new Date(Date.now() + 61_000));
    expect(await stored(short.id)).not.toHaveProperty('previous');
    expect(await stored(long.id)).toHaveProperty('previous.secretHash');
  });

  it('shows the last use of the previous secret until its grace period ends or the key is rotated again', async () => {
    const { id: keyId } = await create();
    const use = () =>
      application
        .get(ApiKeysRepository)
        .updateLastUsed([{ keyId, at: new Date(Date.now() + 1_000), address: '203.0.113.7', isPreviousSecret: true }]);
    const isShown = async () => 'previousSecretUsedAt' in (await keys.getResponse(keyId));
    await keys.rotate(operator, keyId, { graceSeconds: 60 });
    expect(await isShown()).toBe(false);
    await use();
    expect(await isShown()).toBe(true);
    const sinceRotation = { $set: { rotatedAt: new Date(Date.now() + 2_000) } };
    await application.connection.collection('apiKeys').updateOne({ _id: toRecordId(keyId) }, sinceRotation);
    expect(await isShown()).toBe(false);
    await keys.endGracePeriod(operator, keyId);
    expect(await isShown()).toBe(false);
  });

  it('by an operator names no user as creator or rotator', async () => {
    const { id, ...created } = await create();
    const { lastRotatedBy, createdBy, rotatedAt } = await keys.rotate(operator, id, { graceSeconds: 0 });
    expect([created.createdBy, createdBy, lastRotatedBy]).toEqual([undefined, undefined, undefined]);
    expect(rotatedAt).toMatch(/Z$/);
    expect(await stored(id)).not.toHaveProperty('createdBy');
    const events = application.connection.collection('auditEvents').find({ 'target._id': toRecordId(id) });
    expect((await events.toArray()).map(({ actor }) => actor as unknown)).toEqual([{ kind: 'cli' }, { kind: 'cli' }]);
  });

  it('by an operator removes the name of the admin who rotated it before', async () => {
    const { id } = await create();
    const user = { id: String(newRecordId()), name: 'Root', email: 'root@example.com', role: 'superAdmin' } as const;
    await keys.rotate({ user, requestId: 'request', address: '127.0.0.1', ...unconditional }, id, { graceSeconds: 0 });
    expect(String((await stored(id))?.['lastRotatedBy'])).toBe(user.id);
    await keys.rotate(operator, id, { graceSeconds: 0 });
    expect(await stored(id)).not.toHaveProperty('lastRotatedBy');
  });
});

describe('ApiKeyAuthenticator', () => {
  let authenticator: ApiKeyAuthenticator;
  let ids: { key: RecordId; organization: RecordId; creator: RecordId };
  let keyPrefix: string;
  let presented: string;

  beforeAll(() => {
    authenticator = application.get(ApiKeyAuthenticator);
  });

  beforeEach(async () => {
    ids = { key: newRecordId(), organization: newRecordId(), creator: newRecordId() };
    keyPrefix = newKeyPrefix('ffk_live_');
    const secret = newSecret();
    presented = formatApiKey({ keyPrefix, secret });
    await insert('users', { _id: ids.creator, email: String(ids.creator) });
    await insert('organizations', { _id: ids.organization, name: 'Bay Area', creatorId: ids.creator });
    const key = { _id: ids.key, keyPrefix, status: 'active', organizationId: ids.organization };
    await insert('apiKeys', { ...key, secretHash: await hashSecret(secret) });
  });

  const insert = (collection: string, record: object) =>
    application.connection.collection(collection).insertOne(record);
  const set = (collection: string, _id: RecordId, fields: object) =>
    application.connection.collection(collection).updateOne({ _id }, { $set: fields });
  const authenticate = (key = presented, address = '198.51.100.1') => authenticator.authenticate(key, { ip: address });

  it("recognizes a key as its organization's from its first valid use until it is rejected", async () => {
    const wrong = formatApiKey({ keyPrefix, secret: newSecret() });
    expect(authenticator.peekCaller(presented)).toBeUndefined();
    await authenticate(wrong, '198.51.100.2');
    expect(authenticator.peekCaller(wrong)).toBeUndefined();
    await authenticate();
    expect(authenticator.peekCaller(presented)).toBe(String(ids.organization));
    expect(authenticator.peekCaller(wrong)).toBeUndefined();
    await set('apiKeys', ids.key, { status: 'revoked' });
    await authenticate();
    expect(authenticator.peekCaller(presented)).toBeUndefined();
  });

  it('rejects the secret of one key with the prefix of another', async () => {
    expect(await authenticate()).not.toBeNull();
    const other = newKeyPrefix('ffk_live_');
    const stored = await application.connection.collection('apiKeys').findOne({ _id: ids.key });
    await insert('apiKeys', {
      ...stored,
      _id: newRecordId(),
      keyPrefix: other,
      secretHash: await hashSecret('another'),
    });
    const secret = presented.slice(keyPrefix.length, -6);
    const rejected = await authenticate(formatApiKey({ keyPrefix: other, secret }), '198.51.100.2');
    expect(rejected).toMatchObject({ reason: 'wrongSecret', keyPrefix: other });
  });

  it('accepts a key until the millisecond before it expires', async () => {
    await set('apiKeys', ids.key, { expiresAt: new Date(clock.now().getTime() + 1_000) });
    clock.advance(999);
    expect(await authenticate()).toMatchObject({ apiKey: {} });
    clock.advance(1);
    expect(await authenticate()).toMatchObject({
      reason: 'expired',
      ended: expect.stringMatching('The API key expired at ') as string,
    });
  });

  it('does not query the database for a key with a wrong checksum or format', async () => {
    let commands = 0;
    const client = application.connection.getClient();
    const listen = ({ commandName }: { commandName: string }) => void (commands += Number(commandName === 'aggregate'));
    client.on('commandStarted', listen);
    for (const wrong of ['', 'ffk_live_', `${presented}0`, presented.slice(0, -1), presented.replace(/.$/, '-')]) {
      expect(await authenticate(wrong, '198.51.100.2')).toBeNull();
    }
    expect(commands).toBe(0);
    await authenticate();
    client.off('commandStarted', listen);
    expect(commands).toBe(1);
  });
});

describe('the request counts', () => {
  let usage: UsageService;
  const keyId = String(newRecordId());
  const operation = 'listTeams';

  beforeAll(() => {
    clock.advance(hour - (clock.now().getTime() % hour));
    usage = application.get(UsageService);
  });
  /** Another process with the same database. */
  const anotherProcess = () => new UsageService(application.get(UsageRepository), clock);
  const count = (service: UsageService, organizationId: string, ...statuses: number[]) => {
    for (const status of statuses)
      service.record({ organizationId, id: keyId }, status, {
        operation,
        ...(status >= 400 && { errorCode: status * 100 }),
      });
  };
  const countsOf = async (organizationId: string, hours = 3) =>
    (await usage.getOfOrganization(organizationId, hours)).map(({ requests, errors }) => [requests, errors]);
  const stored = () => application.connection.collection('requestCounts') as unknown as Collection<RequestCount>;

  async function createOrganization(name: string): Promise<string> {
    const creator = { name: 'Dana', email: `${String(newRecordId())}@example.com`, password: 'correct horse battery' };
    return (await application.get(OrganizationsService).create(operator, { name, creator }))._id;
  }

  it('are kept per organization and hour, with responses of 400 and more as errors', async () => {
    const [one, other] = [await createOrganization('One'), await createOrganization('Other')];
    count(usage, one, 200, 201, 304, 399, 400, 404, 503);
    count(usage, other, 200);
    clock.advance(hour - 1);
    count(usage, one, 200);
    clock.advance(1);
    count(usage, one, 429);
    await usage.flush();

    expect(await countsOf(one)).toEqual([[0, 0], [8, 3], [1, 1]]); // prettier-ignore
    expect(await countsOf(other)).toEqual([[0, 0], [1, 0], [0, 0]]); // prettier-ignore
    expect((await usage.getOfOrganization(one, 168)).map((entry) => entry.hour)).toEqual(
      Array.from({ length: 168 }, (_, index) => new Date(clock.now().getTime() - (167 - index) * hour).toISOString()),
    );
  });

  it('of several processes are added up', async () => {
    const id = await createOrganization('One');
    const other = anotherProcess();
    for (const service of [usage, other, usage, other]) {
      count(service, id, 200, 400);
      await service.flush();
    }
    expect(await countsOf(id, 1)).toEqual([[8, 4]]);
  });

  it('survive failed writes without a loss, and count a write once whose response was lost', async () => {
    const id = await createOrganization('One');
    const repository = application.get(UsageRepository);
    const failures = ['before the write', 'after the write', 'after the write'];
    const store = async (counts: Iterable<RequestCount>) => {
      const failure = failures.shift();
      if (failure !== 'before the write') await repository.store(counts);
      if (failure !== undefined) throw new Error(failure);
    };
    const service = new UsageService(
      Object.assign(Object.create(UsageRepository.prototype) as UsageRepository, { store }),
      clock,
    );
    for (let round = 0; round < 4; round++) {
      count(service, id, 200, 500);
      await service.flush();
    }
    expect(failures).toEqual([]);
    expect(await countsOf(id, 1)).toEqual([[8, 4]]);
  });

  it('lose nothing when the hour changes while the database is away', async () => {
    const id = await createOrganization('One');
    const service = anotherProcess();
    count(service, id, 200);
    clock.advance(hour);
    count(service, id, 200, 200);
    await service.onApplicationShutdown();
    expect(await countsOf(id, 2)).toEqual([[1, 0], [2, 0]]); // prettier-ignore
  });

  it('never fall when the clock is set back', async () => {
    const id = await createOrganization('One');
    count(usage, id, 200, 200);
    clock.advance(hour);
    count(usage, id, 200);
    clock.advance(-1);
    count(usage, id, 200);
    clock.advance(1);
    await usage.flush();
    expect(await countsOf(id, 2)).toEqual([[2, 0], [2, 0]]); // prettier-ignore
  });

  it('are removed by the database after 7 days, and not before they can be read for the last time', async () => {
    const indexes = await stored().indexes();
    expect(indexes.find(({ key }) => JSON.stringify(key) === '{"hour":1}')).toMatchObject({
      expireAfterSeconds: 7 * 24 * 60 * 60,
    });
    const id = await createOrganization('One');
    count(usage, id, 200);
    await usage.flush();
    expect(await stored().countDocuments({ organizationId: toRecordId(id) })).toBe(1);
    clock.advance(167 * hour);
    expect((await countsOf(id, 168))[0]).toEqual([1, 0]);
  });
});

describe('failed requests', () => {
  it.each([
    ['failedRequests', 7],
    ['recordHistory', 90],
  ])('and histories are removed by the database: %s after %i days', async (name, days) => {
    const indexes = await application.connection.collection(name).indexes();
    expect(indexes.find(({ key }) => JSON.stringify(key) === '{"at":1}')).toMatchObject({
      expireAfterSeconds: days * 24 * 60 * 60,
    });
  });

  it('are stored once if a batch is repeated whose response was lost, with those that are new', async () => {
    const repository = application.get(FailedRequestsRepository);
    const stored = application.connection.collection('failedRequests');
    const batch = [1, 2, 3].map((error) => ({ _id: newRecordId(), error }) as unknown as FailedRequestRecord);
    await repository.insert(batch.slice(0, 2));
    await repository.insert(batch);
    expect(await stored.distinct('error')).toEqual([1, 2, 3]);
    expect(await stored.countDocuments({})).toBe(3);
  });
});
