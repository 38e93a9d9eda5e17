import type { Colours } from './style.js';
import { coloursFor } from './style.js';

const CLEAR_LINE = '\r\u001b[2K';

/** Lines that stay, above one status line that is drawn again and again; without a terminal there is no status line. */
export class LiveScreen {
  readonly colours: Colours;
  private status = '';

  constructor(
    private readonly out: NodeJS.WriteStream = process.stdout,
    private readonly isTerminal: boolean = out.isTTY === true,
  ) {
    this.colours = coloursFor(out);
  }

  /** Columns of a row; text of others is wrapped to it by whoever draws it. */
  get width(): number {
    return this.isTerminal ? Math.max(20, this.out.columns ?? 80) : Number.MAX_SAFE_INTEGER;
  }

  line(text: string): void {
    this.out.write(this.isTerminal ? `${CLEAR_LINE}${text}\n${this.status}` : `${text}\n`);
  }

  /** `text` must be ours or escaped, and fits the width of the terminal after the cut. */
  setStatus(text: string): void {
    if (!this.isTerminal) return;
    this.status = this.colours.dim([...text].slice(0, Math.max(10, (this.out.columns ?? 80) - 1)).join(''));
    this.out.write(`${CLEAR_LINE}${this.status}`);
  }

  clearStatus(): void {
    if (this.isTerminal) this.out.write(CLEAR_LINE);
    this.status = '';
  }
}
