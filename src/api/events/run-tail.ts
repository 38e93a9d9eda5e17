import type { EventStream } from './event-stream.js';
import { EventWindow, type Frame } from './event-window.js';

/** Reads a batch of events after a seq, rendered. */
export type ReadFrames = (after: number) => Promise<Frame[]>;

const RETRY_MS = 1000;

/**
 * Follows one run for all streams of this process: one read per wake-up feeds them all. A stream that is behind the window
 * catches up by reads of its own, which streams at the same position share (docs/design/events.md).
 */
export class RunTail {
  readonly #streams = new Set<EventStream>();
  /** Streams that are being served, and whether to look again afterwards because something came meanwhile. */
  readonly #delivering = new Map<EventStream, boolean>();
  readonly #reads = new Map<number, Promise<Frame[]>>();
  readonly #window: EventWindow;
  #refreshing = false;
  #again = false;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(
    head: number,
    private readonly read: ReadFrames,
    private readonly failed: (error: unknown) => void,
  ) {
    this.#window = new EventWindow(head);
  }

  get size(): number {
    return this.#streams.size;
  }

  get streams(): Iterable<EventStream> {
    return this.#streams;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    stream.onDrain(() => this.deliver(stream));
    this.deliver(stream);
    this.refresh();
  }

  remove(stream: EventStream): void {
    this.#streams.delete(stream);
  }

  close(): void {
    this.#closed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
  }

  /** Looks for new events; a wake-up during a look causes another one after it. */
  refresh(): void {
    if (this.#refreshing) {
      this.#again = true;
      return;
    }
    this.#refreshing = true;
    this.readNew()
      .catch((error: unknown) => this.retryLater(error))
      .finally(() => {
        this.#refreshing = false;
      });
  }

  private async readNew(): Promise<void> {
    do {
      this.#again = false;
      const frames = await this.share(this.#window.head);
      if (this.#closed) return;
      this.#window.push(frames);
      for (const stream of this.#streams) this.deliver(stream);
      if (frames.length > 0) this.#again = true;
    } while (this.#again);
  }

  private deliver(stream: EventStream): void {
    if (this.#delivering.has(stream)) {
      this.#delivering.set(stream, true);
      return;
    }
    this.#delivering.set(stream, false);
    this.catchUp(stream)
      .catch((error: unknown) => this.retryLater(error))
      .finally(() => {
        const again = this.#delivering.get(stream) === true;
        this.#delivering.delete(stream);
        if (again) this.deliver(stream);
      });
  }

  private async catchUp(stream: EventStream): Promise<void> {
    while (stream.writable && !this.#closed) {
      const frames = this.#window.after(stream.cursor) ?? (await this.share(stream.cursor));
      if (frames.length === 0) return;
      stream.send(frames);
    }
  }

  /** One read for all streams at the same position. */
  private share(after: number): Promise<Frame[]> {
    const known = this.#reads.get(after);
    if (known !== undefined) return known;
    const reading = this.read(after).finally(() => this.#reads.delete(after));
    this.#reads.set(after, reading);
    return reading;
  }

  private retryLater(error: unknown): void {
    this.failed(error);
    if (this.#closed || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      for (const stream of this.#streams) this.deliver(stream);
      this.refresh();
    }, RETRY_MS);
  }
}
