/** What one window holds after a hit. */
export interface CountedWindow {
  /** The hits of this window, the new one included: 1 or more. */
  readonly hits: number;
  /** Milliseconds until the window ends: after them the next hit opens a new window. Never 0. */
  readonly millisecondsLeft: number;
}
