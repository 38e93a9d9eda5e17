/** A queue of entries of several owners, served in rotation: an owner with many entries delays only its own. */
export class FairQueue<Entry> {
  private readonly waiting = new Map<string, Entry[]>();

  push(owner: string, entry: Entry): void {
    const entries = this.waiting.get(owner);
    if (entries === undefined) this.waiting.set(owner, [entry]);
    else entries.push(entry);
  }

  /** The oldest entry of the next owner. */
  take(): Entry | undefined {
    for (const [owner, entries] of this.waiting) {
      this.waiting.delete(owner);
      const entry = entries.shift();
      if (entries.length > 0) this.waiting.set(owner, entries);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}
