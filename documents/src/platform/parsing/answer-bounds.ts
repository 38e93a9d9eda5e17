import type { ParseFailure } from '../../domain/page-model.js';

/** How deep the items of the protocol go is nine; the rest is room. */
const MAX_DEPTH = 32;
/** A sheet of as many cells as a page may have comes to a million lists and objects, and to seven million commas. */
const MAX_CONTAINERS = 2_000_000;
const MAX_COMMAS = 10_000_000;
/** All items of all programs together have some sixty. Each further one costs the reader a shape of objects. */
const MAX_NAMES = 128;
const MAX_NAME_BYTES = 64;

const [QUOTE, ESCAPE, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** An answer that would take more of its reader than it may. */
export class AnswerTooLarge extends Error {
  constructor(what: string) {
    super(`the parser reached its limit of ${what}`);
  }

  get failure(): ParseFailure {
    return { kind: 'limit', limit: 'output', message: this.message };
  }
}

export const lineTooLong = (maxBytes: number): AnswerTooLarge => new AnswerTooLarge(`${maxBytes} bytes in a line`);

/**
 * Counts what an answer would become before any of it is made: a line of a few mebibytes can be millions of empty lists, of which each is
 * thirty times its text, or of names, of which each has to be kept. What is counted goes on from line to line, since what they become is kept
 * together.
 */
export class AnswerBounds {
  private readonly names = new Set<string>();
  private containers = 0;
  private commas = 0;

  constructor(private readonly maxLineBytes: number) {}

  /**
   * Counts a line, valid or not: up to its first fault it is read as JSON reads it.
   *
   * @throws AnswerTooLarge at the first thing that is too much
   */
  count(line: Buffer): void {
    if (line.length > this.maxLineBytes) throw lineTooLong(this.maxLineBytes);
    let depth = 0;
    let [from, to] = [0, 0];
    for (let at = 0; at < line.length; at++) {
      const byte = line[at];
      if (byte === QUOTE) {
        from = at + 1;
        to = endOfString(line, from);
        at = to;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++depth > MAX_DEPTH) throw new AnswerTooLarge(`${MAX_DEPTH} lists and objects inside each other`);
        if (++this.containers > MAX_CONTAINERS) throw new AnswerTooLarge(`${MAX_CONTAINERS} lists and objects`);
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
      else if (byte === COMMA) {
        if (++this.commas > MAX_COMMAS) throw new AnswerTooLarge(`${MAX_COMMAS} values`);
      } else if (byte === COLON) this.countName(line, from, to);
    }
  }

  private countName(line: Buffer, from: number, to: number): void {
    if (to - from > MAX_NAME_BYTES) throw new AnswerTooLarge(`${MAX_NAME_BYTES} bytes in a name`);
    this.names.add(line.toString('latin1', from, to));
    if (this.names.size > MAX_NAMES) throw new AnswerTooLarge(`${MAX_NAMES} different names`);
  }
}

/** Where the quote is that ends a string, or where its line does. */
function endOfString(line: Buffer, from: number): number {
  for (let at = from; at < line.length; at++) {
    const byte = line[at];
    if (byte === QUOTE) return at;
    if (byte === ESCAPE) at++;
  }
  return line.length;
}
