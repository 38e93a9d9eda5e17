import type { JailedParser } from './jailed-parser.js';

/** For how long a program waits for its next question. */
const WAIT_MS = 3000;
/** Each holds the memory of a reader. */
const MOST = 2;
/** A program that spent so much on its answers is replaced, so that every question has most of what a program may use. */
const MAX_USED_MS = 15_000;

/** Programs between two questions about the same document. A program never sees another document than that of its start. */
export class KeptParsers {
  private readonly waiting: { about: string; parser: JailedParser; timer: NodeJS.Timeout }[] = [];

  /** @param about what it was started for */
  take(about: string): JailedParser | undefined {
    const at = this.waiting.findIndex((one) => one.about === about && one.parser.isWaiting);
    return at < 0 ? undefined : this.remove(at);
  }

  /** @returns false for a program that answers nothing more; its caller ends it */
  keep(about: string, parser: JailedParser): boolean {
    if (!parser.isWaiting || parser.usedMs > MAX_USED_MS) return false;
    const timer = setTimeout(() => this.drop(parser), WAIT_MS);
    this.waiting.push({ about, parser, timer });
    const oldest = this.waiting[0];
    if (this.waiting.length > MOST && oldest !== undefined) this.drop(oldest.parser);
    return true;
  }

  async close(): Promise<void> {
    await Promise.all(
      this.waiting.splice(0).map(({ parser, timer }) => {
        clearTimeout(timer);
        return parser.end();
      }),
    );
  }

  private drop(parser: JailedParser): void {
    this.remove(this.waiting.findIndex((one) => one.parser === parser));
    parser.kill();
  }

  private remove(at: number): JailedParser | undefined {
    const [one] = this.waiting.splice(at, 1);
    clearTimeout(one?.timer);
    return one?.parser;
  }
}
