/** A queue that was empty this short ago holds a burst, which passes by itself; one that has stood for longer does not. */
const longestBurst = 2_000;
const patient = 3_000;
const impatient = 1_000;

/**
 * How long a request that comes now may wait, in milliseconds (controlled delay, Nichols and Jacobson 2012): long in a
 * burst, which ends, so that all of it is served; short under overload, where waiting only makes every answer late.
 * @param standing for how many milliseconds the queue has not been empty; undefined where it is
 */
export function patience(standing: number | undefined): number {
  return standing === undefined || standing < longestBurst ? patient : impatient;
}
