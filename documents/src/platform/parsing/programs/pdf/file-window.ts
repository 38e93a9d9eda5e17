import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const WINDOW_BYTES = 8 * 1024 * 1024;

/** A file looked at from the front to the back, of which a window alone is held. */
export class FileWindow implements Disposable {
  readonly size: number;
  readonly #file: number;
  #start = 0;
  #bytes = Buffer.alloc(0);

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.size = fstatSync(this.#file).size;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /** What is held from a place on: `wanted` bytes at least, unless the file ends before; at most a window. */
  from(place: number, wanted = WINDOW_BYTES / 2): Buffer {
    const end = Math.min(this.size, place + Math.min(wanted, WINDOW_BYTES));
    if (place < this.#start || end > this.#start + this.#bytes.length) {
      const bytes = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, Math.max(0, this.size - place)));
      let read = 0;
      while (read < bytes.length) {
        const count = readSync(this.#file, bytes, read, bytes.length - read, place + read);
        if (count === 0) break;
        read += count;
      }
      [this.#start, this.#bytes] = [place, bytes.subarray(0, read)];
    }
    return this.#bytes.subarray(place - this.#start);
  }

  /** Where `text` stands next, or the end of the file. */
  find(text: string, place: number): number {
    for (let at = place; at < this.size;) {
      const bytes = this.from(at);
      const found = bytes.indexOf(text);
      if (found >= 0) return at + found;
      if (at + bytes.length >= this.size) break;
      at += bytes.length - text.length + 1;
    }
    return this.size;
  }

  /** The bytes from one place to another, window by window. */
  *parts(place: number, end: number): Generator<Buffer> {
    for (let at = place; at < end;) {
      const bytes = this.from(at).subarray(0, end - at);
      if (bytes.length === 0) return;
      yield bytes;
      at += bytes.length;
    }
  }
}
