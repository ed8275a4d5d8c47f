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

describe('CoherentCache', () => {
  it('returns a stored value, and no other', () => {
    const { cache, read } = aCache();
    read('Hawks', hawks);
    expect([cache.get('Hawks'), cache.get('Foxes'), cache.get('a')]).toEqual([hawks, undefined, undefined]);
  });

  it('neither returns nor stores a value while the stream is not current', () => {
    const { cache, stream, read } = aCache();
    read('Hawks', hawks);
    stream.isCurrent = false;
    expect(cache.get('Hawks')).toBeUndefined();
    read('Foxes', foxes);
    stream.isCurrent = true;
    expect([cache.get('Hawks'), cache.get('Foxes')]).toEqual([hawks, undefined]);
  });

  it('does not store a read during which the stream was not current', () => {
    const { cache, stream, read } = aCache();
    stream.isCurrent = false;
    read('Hawks', hawks, () => (stream.isCurrent = true));
    read('Foxes', foxes, () => (stream.isCurrent = false));
    stream.isCurrent = true;
    expect([cache.get('Hawks'), cache.get('Foxes')]).toEqual([undefined, undefined]);
  });

  it('does not store a read during which any record changed', () => {
    const { cache, read } = aCache();
    read('Hawks', hawks, () => cache.invalidate('a'));
    expect(cache.get('Hawks')).toBeUndefined();
    read('Hawks', hawks, () => cache.invalidate('unknown'));
    expect(cache.get('Hawks')).toBeUndefined();
    read('Hawks', hawks, () => cache.clear());
    expect(cache.get('Hawks')).toBeUndefined();
  });

  it.each(['a', 'o'])('removes exactly the values read from a record that changes (%s)', (id) => {
    const { cache, read } = aCache();
    read('Hawks', hawks);
    read('Hawks again', hawks);
    read('Foxes', foxes);
    cache.invalidate(id);
    expect(['Hawks', 'Hawks again', 'Foxes'].map((key) => cache.get(key))).toEqual([undefined, undefined, foxes]);
  });

  it('follows only the records of a replacing value', () => {
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

  it('is empty after clear()', () => {
    const { cache, read } = aCache();
    read('Hawks', hawks);
    cache.clear();
    expect(cache.get('Hawks')).toBeUndefined();
  });

  it('loads a value once, but a missing one each time', async () => {
    const { cache } = aCache();
    const found: (Team | null)[] = [null, hawks, foxes];
    const load = () => Promise.resolve(found.shift() ?? null);
    expect(await cache.getOrLoad('Hawks', load)).toBeNull();
    expect(await cache.getOrLoad('Hawks', load)).toBe(hawks);
    expect(await cache.getOrLoad('Hawks', load)).toBe(hawks);
  });

  it('evicts the least recently used value beyond `max`, with its index entries', () => {
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
