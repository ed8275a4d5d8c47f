interface Member<T> {
  readonly value: T;
  /** Below zero once it is out. */
  place: number;
}

/**
 * Things that come and go all the time, in no order. A `Set` would do but for V8: when many have left, its entries move to a
 * new table to which the old one keeps pointing, so that one old table that is not yet collected keeps all later ones, and with them
 * every request that stood in one, until the next whole garbage collection.
 */
export class Bag<T> implements Iterable<T> {
  private readonly members: Member<T>[] = [];

  get size(): number {
    return this.members.length;
  }

  /**
   * Puts something in.
   * @returns takes it out; later calls do nothing
   */
  add(value: T): () => void {
    const member = { value, place: this.members.length };
    this.members.push(member);
    return () => this.takeOut(member);
  }

  /** All that is in at this moment, whatever is put in or taken out meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return this.members.map(({ value }) => value).values();
  }

  /** The last one takes the place that becomes free. */
  private takeOut(member: Member<T>): void {
    if (member.place < 0) return;
    const last = this.members.pop();
    if (last !== undefined && last !== member) {
      this.members[member.place] = last;
      last.place = member.place;
    }
    member.place = -1;
  }
}
