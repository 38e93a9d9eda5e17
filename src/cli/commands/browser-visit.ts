import { setTimeout as sleep } from 'node:timers/promises';
import { inline } from '../terminal/escape.js';
import { CliError } from '../terminal/exit-codes.js';
import { openBrowser } from '../terminal/open-browser.js';

const POLL_MS = 1_000;

export interface BrowserFlags {
  /** False with `--no-browser`: the address is printed alone. */
  readonly browser: boolean;
}

/** Something that a person finishes in a browser, and nobody tells us of. */
export interface BrowserVisit<T> {
  goUrl: string;
  /** What is waited for, in our words or escaped. */
  what: string;
  /** How long the address is good, such as `ten minutes`. */
  within: string;
  patienceMs: number;
  /** What came of it; null while it is not finished. */
  look: () => Promise<T | null>;
  /** The command that starts it again. */
  again: string;
}

/**
 * Sends a person to a page and waits until they have finished. Messages meanwhile go to standard error.
 *
 * @throws CliError when nobody finished in time, and what `look` throws
 */
export async function visitInBrowser<T>(visit: BrowserVisit<T>, flags: BrowserFlags): Promise<T> {
  const opened = flags.browser && (await openBrowser(visit.goUrl));
  const lead = opened
    ? 'A browser was opened. If it shows nothing, open'
    : `Open in a browser, within ${visit.within}:`;
  process.stderr.write(`${lead}\n\n  ${inline(visit.goUrl)}\n\nWaiting for ${visit.what} (Ctrl+C ends the wait)…\n`);
  for (const deadline = Date.now() + visit.patienceMs; Date.now() < deadline; await sleep(POLL_MS)) {
    const found = await visit.look();
    if (found !== null) return found;
  }
  throw new CliError(`${visit.what} was not finished in time; start again with: ${visit.again}`);
}
