/** Counts what each caller has under way, and lets nobody have more than a few. */
export class FewEach {
  private readonly underWay = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** Takes one of the caller's few; what gives it back, once. Undefined where the caller has all of them. */
  take(caller: string): (() => void) | undefined {
    const taken = this.underWay.get(caller) ?? 0;
    if (taken >= this.most) return undefined;
    this.underWay.set(caller, taken + 1);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const left = (this.underWay.get(caller) ?? 0) - 1;
      if (left > 0) this.underWay.set(caller, left);
      else this.underWay.delete(caller);
    };
  }
}
