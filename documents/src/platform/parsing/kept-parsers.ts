import type { JailedParser } from './jailed-parser.js';

/** For how long a program waits for its next question. */
const WAIT_MS = 3000;
/** Each holds the memory of a reader. */
const MOST = 2;
/** A program that spent so much on its answers is replaced, so that every question has most of what a program may use. */
const MAX_USED_MS = 15_000;

/** Programs between two questions about the same document. A program never sees another document than that of its start. */
export class KeptParsers {
  /** Those that wait longest come first. */
  private readonly waiting = new Map<JailedParser, { about: string; timer: NodeJS.Timeout }>();
  private readonly ending = new Set<Promise<void>>();
  private isClosed = false;

  /** @param about what it was started for */
  take(about: string): JailedParser | undefined {
    for (const [parser, one] of this.waiting) {
      if (!parser.isWaiting) this.drop(parser);
      else if (one.about === about) {
        this.forget(parser);
        return parser;
      }
    }
    return undefined;
  }

  /** @returns false for a program that answers nothing more; its caller ends it */
  keep(about: string, parser: JailedParser): boolean {
    if (this.isClosed || !parser.isWaiting || parser.usedMs > MAX_USED_MS) return false;
    this.waiting.set(parser, { about, timer: setTimeout(() => this.drop(parser), WAIT_MS) });
    const [longest] = this.waiting.keys();
    if (this.waiting.size > MOST && longest !== undefined) this.drop(longest);
    return true;
  }

  /** Ends those that wait, and waits until nothing of them is left. Nothing is kept any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const parser of [...this.waiting.keys()]) this.drop(parser);
    await Promise.all(this.ending);
  }

  private drop(parser: JailedParser): void {
    this.forget(parser);
    const ending = parser.end().finally(() => this.ending.delete(ending));
    this.ending.add(ending);
  }

  private forget(parser: JailedParser): void {
    clearTimeout(this.waiting.get(parser)?.timer);
    this.waiting.delete(parser);
  }
}
