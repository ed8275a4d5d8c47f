/** Events in the order of their time, and of their making where that is the same: a binary heap. */
class Agenda {
  heap = [];
  made = 0;

  add(at, run) {
    const event = { at, order: this.made++, run };
    let place = this.heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (isBefore(this.heap[parent], event)) break;
      this.heap[place] = this.heap[parent];
      place = parent;
    }
    this.heap[place] = event;
    return event;
  }

  get next() {
    return this.heap[0];
  }

  take() {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (this.heap.length > 0) this.sink(last);
    return first;
  }

  sink(event) {
    const { heap } = this;
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (isBefore(event, heap[child])) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = event;
  }
}

function isBefore(one, other) {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** What an event gives that others wait for: they go on before the next event. */
export const wakes = Symbol('wakes');

/**
 * Does some work with a clock of its own: what asks `performance.now` or sets a timer meanwhile lives in virtual time, which goes from
 * event to event and takes none of the true one. Nothing else of the process may run beside it.
 * @param work gets the time: `now()`, `at(milliseconds, run)`, `sleep(milliseconds)` and `runUntil(milliseconds)`
 */
export async function inVirtualTime(work) {
  const { setTimeout: trueSetTimeout, clearTimeout: trueClearTimeout } = globalThis;
  const agenda = new Agenda();
  let now = 0;
  const time = {
    now: () => now,
    at: (at, run) => void agenda.add(at, run),
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        agenda.add(now + milliseconds, () => {
          resolve();
          return wakes;
        });
      }),
    /** Lets everything happen until then, one event after the other. What an event promises is there before the next one. */
    async runUntil(end) {
      while (agenda.next !== undefined && agenda.next.at <= end) {
        const { at, run } = agenda.take();
        now = at;
        const outcome = run?.();
        if (outcome === wakes) await new Promise(setImmediate);
        else if (outcome instanceof Promise) await outcome;
      }
      now = end;
    },
  };
  performance.now = () => now;
  globalThis.setTimeout = (run, milliseconds = 0) => {
    const event = agenda.add(now + Math.max(1, milliseconds), run);
    return Object.assign(event, { unref: () => event });
  };
  globalThis.clearTimeout = (event) => {
    if (event) event.run = undefined;
  };
  try {
    return await work(time);
  } finally {
    delete performance.now;
    Object.assign(globalThis, { setTimeout: trueSetTimeout, clearTimeout: trueClearTimeout });
  }
}
