import { ApiKeysRepository } from '../../../src/modules/api-keys/api-keys.repository.js';
import { ApiKeysService } from '../../../src/modules/api-keys/api-keys.service.js';
import { unconditional } from '../../../src/access/request-context.js';
import { newRecordId, toRecordId } from '../../../src/database/record.js';
import { TestApplication } from '../../support/application.js';

const operator = { system: 'cli', ...unconditional } as const;
const application = TestApplication.forTests();

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
