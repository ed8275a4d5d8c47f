import { KeyMemory } from './key-memory.js';
import type { PresentedKeyRecord } from './presented-keys.repository.js';
import { Metrics } from '../common/metrics/metrics.js';
import type { Follower } from '../database/change-watch.js';
import { FollowedChanges } from '../database/followed-changes.js';
import { RecordChanges } from '../database/record-changes.js';
import { newRecordId } from '../database/record.js';

/** A memory whose watch says what the test wants. */
function aMemory() {
  let follower: Follower | undefined;
  const watch = { current: true };
  const followed = Object.assign(Object.create(FollowedChanges.prototype) as FollowedChanges, {
    isCurrent: () => watch.current,
    follow: (_: unknown, follows: Follower) => {
      follower = follows;
    },
  });
  const changes = new RecordChanges();
  const memory = new KeyMemory(followed, changes, new Metrics());
  const read = memory.read.bind(memory);
  /** As if the key had been seen often enough before. */
  memory.read = async (keyPrefix, find) => {
    const { sightings } = memory as unknown as { sightings: Map<string, number> };
    sightings.set(keyPrefix, 2);
    return read(keyPrefix, find);
  };
  return { memory, read, watch, changes, follower: follower as unknown as Follower };
}

const aRecord = (): PresentedKeyRecord => ({
  _id: newRecordId(),
  keyPrefix: 'ffk_live_000000000001',
  secretHash: 'hash',
  status: 'active',
  organization: { _id: newRecordId(), name: 'Bay Area' },
  creator: { _id: newRecordId() },
});

const changed = (collection: string, id: unknown, fields?: string[]) => ({ collection, id: String(id), fields });

describe('the memory of keys', () => {
  it('recalls what was read', async () => {
    const { memory } = aMemory();
    const record = aRecord();
    expect(memory.recall('p')).toBeUndefined();
    expect(await memory.read('p', () => Promise.resolve(record))).toBe(record);
    expect(memory.recall('p')).toBe(record);
  });

  it('remembers a key from its third sighting on', async () => {
    const { memory, read } = aMemory();
    for (const remembered of [false, false, true]) {
      await read('p', () => Promise.resolve(aRecord()));
      expect(memory.recall('p') !== undefined).toBe(remembered);
    }
  });

  it('neither recalls nor remembers anything while changes may be missed', async () => {
    const { memory, watch } = aMemory();
    await memory.read('before', () => Promise.resolve(aRecord()));
    watch.current = false;
    expect(memory.recall('before')).toBeUndefined();
    await memory.read('meanwhile', () => Promise.resolve(aRecord()));
    watch.current = true;
    expect(memory.recall('meanwhile')).toBeUndefined();
  });

  it('does not remember what began to be read while changes may have been missed', async () => {
    const { memory, watch } = aMemory();
    watch.current = false;
    await memory.read('p', () => {
      watch.current = true;
      return Promise.resolve(aRecord());
    });
    expect(memory.recall('p')).toBeUndefined();
  });

  it('does not remember what was read before a change that was told meanwhile', async () => {
    const { memory, follower } = aMemory();
    await memory.read('p', () => {
      follower.changed(changed('users', newRecordId(), ['disabledAt']));
      return Promise.resolve(aRecord());
    });
    expect(memory.recall('p')).toBeUndefined();
  });

  it.each([
    ['the key', 'apiKeys', (record: PresentedKeyRecord) => record._id],
    ['its organization', 'organizations', (record: PresentedKeyRecord) => record.organization?._id],
    ['its creator', 'users', (record: PresentedKeyRecord) => record.creator?._id],
  ])('forgets a key when %s is changed, and no other key', async (_, collection, idOf) => {
    const { memory, follower } = aMemory();
    const [record, other] = [aRecord(), aRecord()];
    await memory.read('p', () => Promise.resolve(record));
    await memory.read('q', () => Promise.resolve(other));
    follower.changed(changed(collection, idOf(record), ['name']));
    expect([memory.recall('p'), memory.recall('q')]).toEqual([undefined, other]);
  });

  it('forgets a key at once when it is changed in this process, whatever the database tells', async () => {
    const { memory, changes } = aMemory();
    const record = aRecord();
    await memory.read('p', () => Promise.resolve(record));
    changes.changed(String(record._id));
    expect(memory.recall('p')).toBeUndefined();
  });

  it('keeps a key of which only the use was written, or a login of its creator, and forgets it when it was deleted', async () => {
    const { memory, follower } = aMemory();
    const record = aRecord();
    await memory.read('p', () => Promise.resolve(record));
    follower.changed(changed('apiKeys', record._id, ['lastUsedAt']));
    expect(memory.recall('p')).toBe(record);
    follower.changed(changed('users', record.creator?._id, ['recentLogins']));
    follower.changed(changed('users', record.creator?._id, ['recentLogins.0', 'recentLogins.1.at', 'recentLogins']));
    expect(memory.recall('p')).toBe(record);
    follower.changed(changed('users', record.creator?._id, ['recentLogins.0', 'disabledAt']));
    expect(memory.recall('p')).toBeUndefined();
    await memory.read('p', () => Promise.resolve(record));
    follower.changed(changed('apiKeys', record._id, ['lastUsedAt', 'status']));
    expect(memory.recall('p')).toBeUndefined();
    await memory.read('p', () => Promise.resolve(record));
    follower.changed(changed('apiKeys', record._id));
    expect(memory.recall('p')).toBeUndefined();
  });

  it('forgets a key of which an array was cut, whatever the database tells of it', async () => {
    const { memory, follower } = aMemory();
    const record = aRecord();
    await memory.read('p', () => Promise.resolve(record));
    follower.changed(changed('apiKeys', record._id, []));
    expect(memory.recall('p')).toBeUndefined();
  });

  it('does not remember a key whose organization or creator is gone: they may come back', async () => {
    const { memory } = aMemory();
    const { organization, creator, ...rest } = aRecord();
    await memory.read('p', () => Promise.resolve({ ...rest, ...(organization && { organization }) }));
    await memory.read('q', () => Promise.resolve({ ...rest, ...(creator && { creator }) }));
    expect([memory.recall('p'), memory.recall('q')]).toEqual([undefined, undefined]);
  });

  it('forgets everything when changes may have been lost', async () => {
    const { memory, follower } = aMemory();
    await memory.read('p', () => Promise.resolve(aRecord()));
    follower.lost();
    expect(memory.recall('p')).toBeUndefined();
  });

  it('does not remember that a key is unknown: it may be made the next moment', async () => {
    const { memory } = aMemory();
    expect(await memory.read('p', () => Promise.resolve(null))).toBeNull();
    expect(memory.recall('p')).toBeUndefined();
  });

  it('remembers 10,000 keys and no more, the oldest goes first', async () => {
    const { memory } = aMemory();
    for (let i = 0; i <= 10_000; i++) await memory.read(`p${i}`, () => Promise.resolve(aRecord()));
    expect(memory.recall('p0')).toBeUndefined();
    expect(memory.recall('p1')).toBeDefined();
    expect(memory.recall('p10000')).toBeDefined();
    // Of what is forgotten nothing is left.
    const { keys, prefixesOf } = memory as unknown as Record<'keys' | 'prefixesOf', Map<string, unknown>>;
    expect([keys.size, prefixesOf.size]).toEqual([10_000, 30_000]);
  });
});
