import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may hold the event loop before other requests get their turn. */
const turnMilliseconds = 10;
/** Sorting this many items takes less than a turn. */
const sortedAtOnce = 500;

/** Long work as steps: it yields wherever it can be interrupted. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Ends with the turn of the work that waits last: only one piece of work gets time in each turn of the event loop. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** Runs work, whose steps take milliseconds at most, in turns of 10 ms between which other requests are served. */
export async function runInTurns<T>(steps: Steps<T>): Promise<T> {
  let endsAt = performance.now() + turnMilliseconds;
  let step = steps.next();
  while (step.done !== true) {
    if (performance.now() >= endsAt) endsAt = await startTurn();
    step = steps.next();
  }
  return step.value;
}

/** Maps items one after another in such turns. The function is asynchronous only in form: it waits for nothing. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const mapped: R[] = [];
  let endsAt = performance.now() + turnMilliseconds;
  for (const [index, item] of items.entries()) {
    if (performance.now() >= endsAt) endsAt = await startTurn();
    mapped.push(await map(item, index));
  }
  return mapped;
}

/** Waits for a turn of the event loop. Returns when it ends. */
async function startTurn(): Promise<number> {
  await (lastTurn = lastTurn.then(() => nextTurn()));
  return performance.now() + turnMilliseconds;
}

/** Maps items, with a step after each. */
export function* mapInSteps<T, R>(items: readonly T[], map: (item: T, index: number) => R): Steps<R[]> {
  const mapped: R[] = [];
  for (const [index, item] of items.entries()) {
    mapped.push(map(item, index));
    yield;
  }
  return mapped;
}

/** Sorts items into a new array, stably, as `Array.prototype.toSorted` does. */
export function* sortInSteps<T>(items: readonly T[], compare: (one: T, other: T) => number): Steps<T[]> {
  if (items.length <= sortedAtOnce) {
    yield;
    return items.toSorted(compare);
  }
  const middle = items.length >> 1;
  const left = yield* sortInSteps(items.slice(0, middle), compare);
  const right = yield* sortInSteps(items.slice(middle), compare);
  const sorted: T[] = [];
  for (let l = 0, r = 0; sorted.length < items.length;) {
    const [one, other] = [left[l], right[r]] as [T, T];
    const takesLeft = r === right.length || (l < left.length && compare(one, other) <= 0);
    sorted.push(takesLeft ? one : other);
    if (takesLeft) l++;
    else r++;
    if (sorted.length % sortedAtOnce === 0) yield;
  }
  return sorted;
}
