/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** From 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('there is nothing to pick from');
    return value;
  }

  shuffle<T>(values: readonly T[]): T[] {
    const result = [...values];
    for (let last = result.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      [result[last], result[other]] = [result[other] as T, result[last] as T];
    }
    return result;
  }
}
