const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);
/** Pieces of one line that are kept apart; more are joined, because each costs memory of its own. */
const MAX_PIECES = 256;

/**
 * Joins the lines of a stream across its chunks. What it gives out ends where a line ends, so multi-byte characters are whole;
 * a line that outgrows the limit before it ends is dropped, and the next one is read again.
 */
export class SseLines {
  private pending: Buffer[] = [];
  private bytes = 0;
  private dropping = false;

  constructor(private readonly maxLineBytes: number) {}

  /** The lines that the chunk completed, without the last line's end; empty when it completed none. */
  push(chunk: Buffer): Buffer {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      this.keep(chunk);
      return NOTHING;
    }
    const complete = this.complete(chunk.subarray(0, end));
    this.pending = [];
    this.bytes = 0;
    this.dropping = false;
    this.keep(chunk.subarray(end + 1));
    return complete;
  }

  /** What is left of a stream that does not end with a line's end. */
  end(): Buffer {
    return this.complete(NOTHING);
  }

  private complete(head: Buffer): Buffer {
    if (this.dropping) {
      const start = head.indexOf(NEWLINE);
      return start === -1 ? NOTHING : head.subarray(start + 1);
    }
    return this.pending.length === 0 ? head : Buffer.concat([...this.pending, head]);
  }

  private keep(tail: Buffer): void {
    if (tail.length === 0 || this.dropping) return;
    this.bytes += tail.length;
    this.pending.push(tail);
    if (this.bytes > this.maxLineBytes) {
      this.pending = [];
      this.dropping = true;
    } else if (this.pending.length > MAX_PIECES) {
      this.pending = [Buffer.concat(this.pending)];
    }
  }
}
