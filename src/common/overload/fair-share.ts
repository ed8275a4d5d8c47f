/**
 * True where one who holds so many of a thing that is short may take one more: nobody holds more than what is still free
 * (dynamic thresholds, Choudhury and Hahne 1998). One alone gets half of all, n of them 1/(n+1) each, and some is
 * always left for a newcomer.
 */
export function mayTakeOneMore(held: number, free: number): boolean {
  return held < free;
}
