interface Slot {
  cancel: AbortController;
  done: Promise<unknown>;
}

/**
 * Lets one request at a time write a part. A later one takes the place of an earlier one, whose sender has most likely gone: it is
 * cancelled, and the later one begins when it has written for the last time. Holds within one process, so a folder of files has one API
 * process.
 */
export class PartSlots {
  private readonly slots = new Map<string, Slot>();

  /** @param work gets the signal that cancels it, and resolves or rejects once it writes no more */
  async take<T>(uploadId: string, partNumber: number, work: (cancelled: AbortSignal) => Promise<T>): Promise<T> {
    const key = `${uploadId}/${partNumber}`;
    const before = this.slots.get(key);
    const cancel = new AbortController();
    const working = this.after(before, cancel.signal, work);
    const slot: Slot = { cancel, done: working.catch(() => undefined) };
    this.slots.set(key, slot);
    before?.cancel.abort();
    try {
      return await working;
    } finally {
      if (this.slots.get(key) === slot) this.slots.delete(key);
    }
  }

  private async after<T>(
    before: Slot | undefined,
    signal: AbortSignal,
    work: (cancelled: AbortSignal) => Promise<T>,
  ): Promise<T> {
    await before?.done;
    return work(signal);
  }
}
