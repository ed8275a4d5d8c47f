import { Holdings } from './holdings.js';

/** Counts what each caller has under way, and lets nobody have more than a few. */
export class FewEach {
  private readonly underWay = new Holdings();

  constructor(private readonly most: number) {}

  /** Takes one of the caller's few; what gives it back, once. Undefined where the caller has all of them. */
  take(caller: string): (() => void) | undefined {
    if (this.underWay.of(caller) >= this.most) return undefined;
    this.underWay.add(caller);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.underWay.remove(caller);
    };
  }
}
