import type { ServerResponse } from 'node:http';

/** The event of an answer that is given: whole, though perhaps not yet sent. `LeanExpressAdapter` emits it. */
export const given = 'given';

/**
 * Tells as soon as an answer is given, whoever gives it and however long the client takes to read it. (To put another `end` on each
 * answer would keep every one of them until the next whole garbage collection: V8 lets objects grow old that get new functions
 * as properties.)
 */
export function onceGiven(answer: ServerResponse, tell: () => void): void {
  answer.once(given, tell);
}
