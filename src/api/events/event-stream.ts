import type { ServerResponse } from 'node:http';
import type { Frame } from './event-window.js';

/** How long a client has for what was written before the end. */
const TAKEN_WITHIN_MS = 2000;
const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

/**
 * One client that follows a run. It holds a position and nothing else: while its socket is full, events stay in the
 * database, and it goes on from its position when the socket drains.
 */
export class EventStream {
  #cursor: number;
  #blocked = false;

  constructor(
    private readonly response: ServerResponse,
    after: number,
  ) {
    this.#cursor = after;
  }

  /** Highest seq that was handed to the socket. */
  get cursor(): number {
    return this.#cursor;
  }

  get writable(): boolean {
    return !this.#blocked && !this.closed;
  }

  get closed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  onDrain(resume: () => void): void {
    this.response.on('drain', () => {
      this.#blocked = false;
      resume();
    });
  }

  onClose(gone: () => void): void {
    this.response.once('close', gone);
  }

  /**
   * Writes events in order until all are written or the socket is full; what is left is not kept. Node sends the writes of one turn
   * together, so that a backlog does not cost a system call each.
   */
  send(frames: readonly Frame[]): void {
    for (const frame of frames) {
      if (frame.seq <= this.#cursor) continue;
      this.write(frame.bytes);
      this.#cursor = frame.seq;
      if (!this.writable) return;
    }
  }

  /** A comment line: clients ignore it, and proxies see that the connection is alive. */
  keepAlive(): void {
    if (this.writable) this.write(KEEP_ALIVE);
  }

  /** Nothing is written any more. A client that does not take what is under way is cut off. */
  end(): void {
    if (this.closed) return;
    this.response.end();
    const cut = setTimeout(() => this.response.destroy(), TAKEN_WITHIN_MS).unref();
    this.response.once('close', () => clearTimeout(cut));
  }

  private write(bytes: Buffer): void {
    if (!this.response.write(bytes)) this.#blocked = true;
  }
}
