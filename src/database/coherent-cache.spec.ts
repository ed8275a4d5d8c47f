import { CoherentCache } from './coherent-cache.js';

interface Team {
  readonly id: string;
  readonly owner: string;
}

const hawks: Team = { id: 'a', owner: 'o' };
const foxes: Team = { id: 'b', owner: 'p' };

/** A cache of teams by name that depend on their owner, too. */
function aCache(max = 100) {
  const stream = { isCurrent: true };
  const idsOf = ({ id, owner }: Team) => [id, owner];
  const cache = new CoherentCache<Team>(() => stream.isCurrent, max, idsOf);
  const read = (key: string, value: Team, meanwhile: () => void = () => undefined) => {
    const begun = cache.startRead();
    meanwhile();
    begun.store(key, value);
  };
  return { cache, stream, read };
}

describe('a coherent cache', () => {
  it('returns what was read, and nothing else', () => {
    const { cache, read } = aCache();
    read('Hawks', hawks);
    expect([cache.get('Hawks'), cache.get('Foxes'), cache.get('a')]).toEqual([hawks, undefined, undefined]);
  });

  it('neither returns nor stores anything while changes may be missed', () => {
    const { cache, stream, read } = aCache();
    read('Hawks', hawks);
    stream.isCurrent = false;
    expect(cache.get('Hawks')).toBeUndefined();
    read('Foxes', foxes);
    stream.isCurrent = true;
    expect([cache.get('Hawks'), cache.get('Foxes')]).toEqual([hawks, undefined]);
  });

  it('does not store what began to be read while changes may have been missed, or ended so', () => {
    const { cache, stream, read } = aCache();
    stream.isCurrent = false;
    read('Hawks', hawks, () => (stream.isCurrent = true));
    read('Foxes', foxes, () => (stream.isCurrent = false));
    stream.isCurrent = true;
    expect([cache.get('Hawks'), cache.get('Foxes')]).toEqual([undefined, undefined]);
  });

  it('does not store what was read before a change of any record that was reported meanwhile', () => {
    const { cache, read } = aCache();
    read('Hawks', hawks, () => cache.invalidate('a'));
    expect(cache.get('Hawks')).toBeUndefined();
    read('Hawks', hawks, () => cache.invalidate('unknown'));
    expect(cache.get('Hawks')).toBeUndefined();
    read('Hawks', hawks, () => cache.clear());
    expect(cache.get('Hawks')).toBeUndefined();
  });

  it('says of a read whether it still holds', () => {
    const { cache, stream } = aCache();
    const read = cache.startRead();
    expect(read.isValid()).toBe(true);
    stream.isCurrent = false;
    expect(read.isValid()).toBe(false);
    stream.isCurrent = true;
    cache.invalidate('unknown');
    expect(read.isValid()).toBe(false);
  });

  it.each(['a', 'o'])(
    'removes a value when any record that it was read from changes (%s), and no other value',
    (id) => {
      const { cache, read } = aCache();
      read('Hawks', hawks);
      read('Hawks again', hawks);
      read('Foxes', foxes);
      cache.invalidate(id);
      expect(['Hawks', 'Hawks again', 'Foxes'].map((key) => cache.get(key))).toEqual([undefined, undefined, foxes]);
    },
  );

  it('keeps a value that was replaced by one of other records until one of those changes', () => {
    const { cache, read } = aCache();
    read('Hawks', hawks);
    const sold = { id: 'a', owner: 'p' };
    read('Hawks', sold);
    read('Hawks', sold);
    cache.invalidate('o');
    expect(cache.get('Hawks')).toBe(sold);
    cache.invalidate('p');
    expect(cache.get('Hawks')).toBeUndefined();
  });

  it('removes everything when changes may have been missed', () => {
    const { cache, read } = aCache();
    read('Hawks', hawks);
    cache.clear();
    expect(cache.get('Hawks')).toBeUndefined();
  });

  it('loads a value once, and one that was not found each time', async () => {
    const { cache } = aCache();
    const found: (Team | null)[] = [null, hawks, foxes];
    const load = () => Promise.resolve(found.shift() ?? null);
    expect(await cache.getOrLoad('Hawks', load)).toBeNull();
    expect(await cache.getOrLoad('Hawks', load)).toBe(hawks);
    expect(await cache.getOrLoad('Hawks', load)).toBe(hawks);
  });

  it('holds so many values and no more, the least recently used goes first, and nothing of it is left', () => {
    const { cache, read } = aCache(2);
    read('Hawks', hawks);
    read('Foxes', foxes);
    expect(cache.get('Hawks')).toBe(hawks);
    read('Owls', { id: 'c', owner: 'p' });
    expect([cache.get('Hawks'), cache.get('Foxes')]).toEqual([hawks, undefined]);
    const { keysOf } = cache as unknown as { keysOf: Map<string, unknown> };
    expect([...keysOf.keys()].sort()).toEqual(['a', 'c', 'o', 'p']);
  });
});
