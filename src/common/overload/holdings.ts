/** How much of a thing each caller holds. */
export class Holdings {
  private readonly byCaller = new Map<string, number>();
  private sum = 0;

  /** What all callers hold together. */
  get total(): number {
    return this.sum;
  }

  /** What one caller holds. */
  of(caller: string): number {
    return this.byCaller.get(caller) ?? 0;
  }

  /** A caller holds one more. */
  add(caller: string): void {
    this.sum++;
    this.byCaller.set(caller, this.of(caller) + 1);
  }

  /** A caller that holds some holds one less. */
  remove(caller: string): void {
    this.sum--;
    const left = this.of(caller) - 1;
    if (left > 0) this.byCaller.set(caller, left);
    else this.byCaller.delete(caller);
  }
}
