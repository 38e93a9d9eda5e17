/** An event as it goes over the wire, rendered once: whatever the streams of a run have under way, they share. */
export interface Frame {
  seq: number;
  bytes: Buffer;
}

const MAX_FRAMES = 512;
const MAX_BYTES = 512 * 1024;

/** The newest events of one run, without gaps, bounded in number and size. */
export class EventWindow {
  #frames: Frame[] = [];
  #bytes = 0;
  #head: number;

  /** `head` is the seq after which the window begins. */
  constructor(head: number) {
    this.#head = head;
  }

  /** Highest seq that the window has seen. */
  get head(): number {
    return this.#head;
  }

  /** Adds the next events; skips those that it already has. */
  push(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.seq !== this.#head + 1) continue;
      this.#frames.push(frame);
      this.#bytes += frame.bytes.length;
      this.#head = frame.seq;
    }
    this.trim();
  }

  /** The events after a seq, or null when the window no longer reaches back so far. */
  after(seq: number): readonly Frame[] | null {
    const start = this.#head - this.#frames.length;
    if (seq < start) return null;
    return this.#frames.slice(seq - start);
  }

  private trim(): void {
    let drop = Math.max(0, this.#frames.length - MAX_FRAMES);
    let bytes = this.#bytes;
    for (let index = 0; index < this.#frames.length && (index < drop || bytes > MAX_BYTES); index += 1) {
      bytes -= this.#frames[index]?.bytes.length ?? 0;
      drop = Math.max(drop, index + 1);
    }
    if (drop === 0) return;
    this.#frames = this.#frames.slice(drop);
    this.#bytes = bytes;
  }
}
