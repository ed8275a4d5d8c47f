import { formatApiKey, newKeyPrefix, newSecret } from '../../../src/modules/api-keys/api-key-format.js';
import { ApiKeyAuthenticator } from '../../../src/modules/api-keys/api-key-authenticator.js';
import { hashSecret } from '../../../src/access/secret-hasher.js';
import { newRecordId, type RecordId } from '../../../src/database/record.js';
import { FixedClock, TestApplication } from '../../support/application.js';

describe('ApiKeyAuthenticator', () => {
  const clock = new FixedClock();
  const application = TestApplication.forTests(clock);
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
  const authenticate = (key = presented, address = '198.51.100.1') =>
    authenticator.authenticate(key, { addressGroup: () => address, waitFor: (check) => check() });

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
