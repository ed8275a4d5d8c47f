/** How often something was changed; what was read before a change may be outdated when it arrives. */
type Generation = number;

/** Tells of what is read whether it may be remembered: not where something changed meanwhile, or a change may have been missed. */
export class UnchangedReads {
  private generation: Generation = 0;

  /** @param isCurrent tells whether changes are followed at this moment */
  constructor(private readonly isCurrent: () => boolean) {}

  /** Something changed, or may have. */
  changed(): void {
    this.generation++;
  }

  /** Reads, and gives what was found with a question: whether it holds still, at the moment of asking. */
  async read<T>(find: () => Promise<T>): Promise<{ readonly found: T; readonly holds: () => boolean }> {
    const begun = this.isCurrent() ? this.generation : undefined;
    const found = await find();
    return { found, holds: () => begun === this.generation && this.isCurrent() };
  }
}
