import { StringDecoder } from 'node:string_decoder';

/**
 * Keeps the head and the tail of an endless output in bounded memory: what a command says first and last is what its
 * reader needs. `limit` is in characters (UTF-16 units), half for each end.
 */
export class KeptOutput {
  readonly #half: number;
  #head = '';
  #tail = '';
  #total = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  append(text: string): void {
    this.#total += text.length;
    const free = this.#half - this.#head.length;
    this.#head += text.slice(0, free);
    const rest = text.slice(Math.max(free, 0));
    // Trimmed only now and then, so that many small pieces cost no copy each.
    this.#tail += rest;
    if (this.#tail.length > this.#half * 4) this.#tail = this.#tail.slice(-this.#half);
  }

  toString(): string {
    const tail = this.#tail.slice(-this.#half);
    const leftOut = this.#total - this.#head.length - tail.length;
    if (leftOut <= 0) return (this.#head + tail).toWellFormed();
    return `${this.#head}\n… ${leftOut} characters left out …\n${tail}`.toWellFormed();
  }
}

/** A decoder per stream, because a character may be split between two chunks of one stream. */
export function appendDecoded(output: KeptOutput): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  return (chunk) => output.append(decoder.write(chunk));
}
