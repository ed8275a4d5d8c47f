import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

const callers = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });

function filled(by: readonly string[]): FairQueue<{ caller: string; place: number }> {
  const queue = new FairQueue<{ caller: string; place: number }>();
  by.forEach((caller, place) => queue.add(caller, { caller, place }));
  return queue;
}

function drained<T>(queue: FairQueue<T>): T[] {
  const served: T[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) served.push(next);
  return served;
}

describe('the fair queue', () => {
  it('serves everything once, and each caller in the order in which it came', () => {
    fc.assert(
      fc.property(callers, (by) => {
        const queue = filled(by);
        const served = drained(queue);
        expect(served).toHaveLength(by.length);
        expect(queue.size).toBe(0);
        for (const caller of new Set(by)) {
          const places = served.filter((entry) => entry.caller === caller).map(({ place }) => place);
          expect(places).toEqual([...places].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('lets nobody have two turns while another one waits for theirs', () => {
    fc.assert(
      fc.property(callers, (by) => {
        const served = drained(filled(by)).map(({ caller }) => caller);
        const left = new Map<string, number>();
        for (const caller of by) left.set(caller, (left.get(caller) ?? 0) + 1);
        const since = new Map<string, number>();
        for (const caller of served) {
          for (const [other, entries] of left) {
            if (other === caller || entries === 0) continue;
            const turns = (since.get(`${caller} before ${other}`) ?? 0) + 1;
            expect(turns).toBe(1);
            since.set(`${caller} before ${other}`, turns);
          }
          left.set(caller, (left.get(caller) ?? 0) - 1);
          for (const other of left.keys()) since.delete(`${other} before ${caller}`);
        }
      }),
    );
  });

  it('serves one that came behind the crowd of another as the second', () => {
    const queue = filled([...Array<string>(200).fill('crowd'), 'newcomer']);
    expect([queue.next()?.caller, queue.next()?.caller]).toEqual(['crowd', 'newcomer']);
  });

  it('passes over a caller that may not be served now, and keeps its turn', () => {
    const queue = filled(['a', 'b', 'a']);
    expect(queue.next((caller) => caller !== 'a')?.caller).toBe('b');
    expect(queue.next((caller) => caller !== 'a')).toBeUndefined();
    expect([queue.size, queue.sizeOf('a')]).toEqual([2, 2]);
    expect(queue.next()?.place).toBe(0);
  });

  it('gives an entry up, wherever it stands, and once', () => {
    const queue = new FairQueue<string>();
    for (const entry of ['first', 'second', 'third']) queue.add('a', entry);
    queue.remove('a', 'second');
    queue.remove('a', 'second');
    queue.remove('b', 'first');
    expect(queue.size).toBe(2);
    expect(drained(queue)).toEqual(['first', 'third']);
  });

  it('tells all that wait, who may be taken out then and there', () => {
    fc.assert(
      fc.property(callers, (by) => {
        const queue = filled(by);
        const met: number[] = [];
        for (const entry of queue) {
          met.push(entry.place);
          queue.remove(entry.caller, entry);
        }
        expect(met.sort((a, b) => a - b)).toEqual(by.map((_, place) => place));
        expect(queue.size).toBe(0);
      }),
    );
  });
});
