import type { Tenant } from '../access/request-context.js';
import { VersionedCache } from './versioned-cache.js';

const tenantOf = (id: string) => ({ organization: { id } }) as Tenant;
const tenant = tenantOf('one');

interface Started {
  readonly name: string;
  end(): void;
}

let cache: VersionedCache<string[]>;
let started: Started[];

beforeEach(() => {
  cache = new VersionedCache(10);
  started = [];
});

/** Asks for a result; `started` has the computation, if there is one. Its number makes each result differ. */
function get(version: string, query = 'table', of = tenant): Promise<string[]> {
  const compute = () =>
    new Promise<string[]>((resolve) => {
      const name = `${query} ${started.length + 1}`;
      started.push({ name, end: () => resolve([name]) });
    });
  return cache.get(of, [query], [version], compute);
}

async function end(index: number): Promise<void> {
  while (started[index] === undefined) await new Promise(setImmediate);
  started[index].end();
}

it('computes a result once for a version, and shares it with all that wait', async () => {
  const all = Promise.all([get('1'), get('1'), get('1')]);
  await end(0);
  expect(await all).toEqual([['table 1'], ['table 1'], ['table 1']]);
  expect(await get('1')).toEqual(['table 1']);
  expect(started).toHaveLength(1);
});

it('computes again, once, for those whose version is newer than the running computation', async () => {
  const first = get('1');
  while (started.length === 0) await new Promise(setImmediate);
  // The second asks for the version that is being computed, and shares its work with those that have a newer one.
  const others = Promise.all([get('1'), get('2'), get('3')]);
  await end(0);
  await end(1);
  expect(await first).toEqual(['table 1']);
  expect(await others).toEqual([['table 2'], ['table 2'], ['table 2']]);
  expect(await Promise.all([get('1'), get('2'), get('3')])).toEqual(await others);
  expect(started).toHaveLength(2);
});

it('keeps no result of a computation that failed', async () => {
  const failed = cache.get(tenant, ['table'], ['1'], () => Promise.reject(new Error('no database')));
  await expect(failed).rejects.toThrow('no database');
  const next = get('1');
  await end(0);
  expect(await next).toEqual(['table 1']);
});

it('separates organizations and queries, and keeps only so many rows', async () => {
  const requests = [get('1'), get('1', 'table', tenantOf('two')), get('1', 'other')];
  for (const index of requests.keys()) await end(index);
  expect(new Set((await Promise.all(requests)).map(String)).size).toBe(3);
  const large = cache.get(tenant, ['large'], ['1'], () => Promise.resolve(Array<string>(9).fill('row')));
  expect(await large).toHaveLength(9);
  const again = get('1');
  await end(3);
  expect(await again).toEqual(['table 4']);
});
