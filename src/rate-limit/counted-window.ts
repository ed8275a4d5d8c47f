/** What one window holds after a hit. */
export interface CountedWindow {
  /** The hits of this window, the new one included: 1 or more. */
  readonly hits: number;
  /** Milliseconds until the window ends: after them the next hit opens a new window. Never 0. */
  readonly millisecondsLeft: number;
}

/** In how many whole seconds the next hit opens a new window: what `Retry-After` says, so rounded up and 1 at least. */
export function secondsLeft({ millisecondsLeft }: CountedWindow): number {
  return Math.max(1, Math.ceil(millisecondsLeft / 1000));
}
