import { RecordMemory } from './record-memory.js';

interface Named {
  readonly id: string;
  readonly name: string;
}

const hawks = { id: 'a', name: 'Hawks' };
const foxes = { id: 'b', name: 'Foxes' };

function aMemory(most = 100) {
  const watch = { current: true };
  const memory = new RecordMemory<Named>(() => watch.current, most);
  const read = (found: readonly Named[], meanwhile: () => void = () => undefined) =>
    memory.read(
      ({ id }) => id,
      () => {
        meanwhile();
        return Promise.resolve(found);
      },
    );
  return { memory, watch, read };
}

describe('a memory of records', () => {
  it('recalls what was read, and nothing else', async () => {
    const { memory, read } = aMemory();
    expect(await read([hawks])).toEqual([hawks]);
    expect([memory.recall('a'), memory.recall('b')]).toEqual([hawks, undefined]);
  });

  it('neither recalls nor remembers anything while changes may be missed', async () => {
    const { memory, watch, read } = aMemory();
    await read([hawks]);
    watch.current = false;
    expect(memory.recall('a')).toBeUndefined();
    await read([foxes]);
    watch.current = true;
    expect([memory.recall('a'), memory.recall('b')]).toEqual([hawks, undefined]);
  });

  it('does not remember what began to be read while changes may have been missed, or ended so', async () => {
    const { memory, watch, read } = aMemory();
    watch.current = false;
    await read([hawks], () => (watch.current = true));
    await read([foxes], () => (watch.current = false));
    watch.current = true;
    expect([memory.recall('a'), memory.recall('b')]).toEqual([undefined, undefined]);
  });

  it('does not remember what was read before a change that was told meanwhile', async () => {
    const { memory, read } = aMemory();
    await read([hawks], () => memory.forget('a'));
    await read([foxes], () => memory.forgetAll());
    expect([memory.recall('a'), memory.recall('b')]).toEqual([undefined, undefined]);
  });

  it('forgets a record that is changed and no other, and all when changes may have been lost', async () => {
    const { memory, read } = aMemory();
    await read([hawks, foxes]);
    memory.forget('a');
    expect([memory.recall('a'), memory.recall('b')]).toEqual([undefined, foxes]);
    memory.forgetAll();
    expect(memory.recall('b')).toBeUndefined();
  });

  it('remembers so many records and no more, the oldest goes first', async () => {
    const { memory, read } = aMemory(1);
    await read([hawks, foxes]);
    expect([memory.recall('a'), memory.recall('b')]).toEqual([undefined, foxes]);
  });
});
