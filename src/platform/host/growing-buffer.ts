const LEAST_BYTES = 4096;

/** Bytes that come in pieces, kept in one place: a million pieces of one byte cost no more than a piece of a million bytes. */
export class GrowingBuffer {
  private room = Buffer.alloc(0);
  private used = 0;

  get length(): number {
    return this.used;
  }

  append(piece: Buffer): void {
    const needed = this.used + piece.length;
    if (needed > this.room.length) {
      const larger = Buffer.allocUnsafe(Math.max(LEAST_BYTES, 2 * this.room.length, needed));
      this.room.copy(larger, 0, 0, this.used);
      this.room = larger;
    }
    piece.copy(this.room, this.used);
    this.used = needed;
  }

  /** What is kept, until the next `append` or `clear`. */
  view(): Buffer {
    return this.room.subarray(0, this.used);
  }

  clear(): void {
    this.used = 0;
  }
}
