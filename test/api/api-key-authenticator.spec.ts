import { formatApiKey, newKeyPrefix, newSecret } from '../../src/modules/api-keys/api-key-format.js';
import { ApiKeyAuthenticator } from '../../src/modules/api-keys/api-key-authenticator.js';
import { hashSecret } from '../../src/common/secrets/secret-hasher.js';
import { newRecordId, type RecordId } from '../../src/database/record.js';
import { FixedClock, TestApplication } from '../support/application.js';

describe('a presented key', () => {
  let application: TestApplication;
  let authenticator: ApiKeyAuthenticator;
  let clock: FixedClock;
  let ids: { key: RecordId; organization: RecordId; creator: RecordId };
  let keyPrefix: string;
  let presented: string;

  beforeAll(async () => {
    clock = new FixedClock();
    application = await TestApplication.start(clock);
    authenticator = application.get(ApiKeyAuthenticator);
  });

  afterAll(() => application.stop());

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
  const identify = () => authenticator.identify(presented);

  it('stands for its organization and the organization’s creator, each time', async () => {
    const holder = {
      organization: { id: String(ids.organization), name: 'Bay Area' },
      actingUser: { id: String(ids.creator) },
      apiKey: { id: String(ids.key), keyPrefix },
    };
    expect(await identify()).toEqual(holder);
    expect(await identify()).toEqual(holder);
  });

  it('is recognized as its organization’s from its first right use on, until it is refused', async () => {
    const wrong = formatApiKey({ keyPrefix, secret: newSecret() });
    expect(authenticator.recognize(presented)).toBeUndefined();
    await authenticator.identify(wrong);
    expect(authenticator.recognize(wrong)).toBeUndefined();
    await identify();
    expect(authenticator.recognize(presented)).toBe(String(ids.organization));
    expect(authenticator.recognize(wrong)).toBeUndefined();
    await set('apiKeys', ids.key, { status: 'revoked' });
    await identify();
    expect(authenticator.recognize(presented)).toBeUndefined();
  });

  it('is dead with the next request when its stored hash is another, although it was checked before', async () => {
    expect(await identify()).not.toBeNull();
    await set('apiKeys', ids.key, { secretHash: await hashSecret(newSecret()) });
    expect(await identify()).toBeNull();
    expect(await identify()).toBeNull();
  });

  it('does not let another secret of the same key pass, although the right one was checked before', async () => {
    expect(await identify()).not.toBeNull();
    expect(await authenticator.identify(formatApiKey({ keyPrefix, secret: newSecret() }))).toBeNull();
    expect(await identify()).not.toBeNull();
  });

  it('does not pass by the hash of another key', async () => {
    expect(await identify()).not.toBeNull();
    const other = newKeyPrefix('ffk_live_');
    const stored = await application.connection.collection('apiKeys').findOne({ _id: ids.key });
    await insert('apiKeys', {
      ...stored,
      _id: newRecordId(),
      keyPrefix: other,
      secretHash: await hashSecret('another'),
    });
    const secret = presented.slice(keyPrefix.length, -6);
    expect(await authenticator.identify(formatApiKey({ keyPrefix: other, secret }))).toBeNull();
  });

  it.each([
    ['it is revoked', () => set('apiKeys', ids.key, { status: 'revoked' })],
    ['its organization is disabled', () => set('organizations', ids.organization, { disabledAt: new Date() })],
    ['its creator is disabled', () => set('users', ids.creator, { disabledAt: new Date() })],
    [
      'its organization is gone',
      () => application.connection.collection('organizations').deleteOne({ _id: ids.organization }),
    ],
    ['its creator is gone', () => application.connection.collection('users').deleteOne({ _id: ids.creator })],
    ['it is gone', () => application.connection.collection('apiKeys').deleteOne({ _id: ids.key })],
  ])('is dead with the next request when %s, although it was checked before', async (_, happens) => {
    expect(await identify()).not.toBeNull();
    await happens();
    expect(await identify()).toBeNull();
  });

  it('lives until the millisecond before it expires', async () => {
    await set('apiKeys', ids.key, { expiresAt: new Date(clock.now().getTime() + 1_000) });
    clock.advance(999);
    expect(await identify()).not.toBeNull();
    clock.advance(1);
    expect(await identify()).toBeNull();
  });

  it('is not asked of the database where its checksum or shape is wrong', async () => {
    let commands = 0;
    const client = application.connection.getClient();
    const listen = ({ commandName }: { commandName: string }) => void (commands += Number(commandName === 'aggregate'));
    client.on('commandStarted', listen);
    for (const wrong of ['', 'ffk_live_', `${presented}0`, presented.slice(0, -1), presented.replace(/.$/, '-')]) {
      expect(await authenticator.identify(wrong)).toBeNull();
    }
    expect(commands).toBe(0);
    await identify();
    client.off('commandStarted', listen);
    expect(commands).toBe(1);
  });
});
