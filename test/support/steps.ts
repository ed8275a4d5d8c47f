import type { Steps } from '../../src/http/turns.js';

/** Runs work at once, without giving up the event loop. */
export function runAtOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
