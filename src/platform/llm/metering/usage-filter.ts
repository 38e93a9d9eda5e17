import { parseLoosely } from './answer-meter.js';
import { memberOf } from './loose-members.js';

/** Takes out of an answer what its client did not ask for, while its bytes pass by. */
export interface AnswerFilter {
  push(chunk: Buffer): Buffer;
  /** What it still holds back. */
  end(): Buffer;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
/** An event that is longer than this is never one of those to take out, so it is passed on as it comes. */
const MAX_EVENT_BYTES = 16 * 1024;

/**
 * Takes the chunk that reports usage out of a Chat Completions stream whose client did not ask for it. Such a chunk has no
 * choices, and a client that did not ask may rely on the first one. All other bytes pass as they came, event by event.
 */
export class UsageFilter implements AnswerFilter {
  private held: Buffer = NOTHING;
  /** Inside an event that is too long to be held. */
  private passing = false;

  push(chunk: Buffer): Buffer {
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    const kept: Buffer[] = [];
    let start = 0;
    for (let end = endOfEvent(bytes, start); end !== -1; end = endOfEvent(bytes, start)) {
      const event = bytes.subarray(start, end);
      if (this.passing || !isUsageReport(event)) kept.push(event);
      this.passing = false;
      start = end;
    }
    this.held = bytes.subarray(start);
    if (this.passing || this.held.length > MAX_EVENT_BYTES) {
      // The last bytes may be the first half of the event's end.
      const pass = Math.max(0, this.held.length - 3);
      kept.push(this.held.subarray(0, pass));
      this.held = this.held.subarray(pass);
      this.passing = true;
    }
    return kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept);
  }

  end(): Buffer {
    const rest = this.held;
    this.held = NOTHING;
    return !this.passing && isUsageReport(rest) ? NOTHING : rest;
  }
}

/** Where the event that begins at `start` is over, the blank line behind it included; -1 when it is not over. */
function endOfEvent(bytes: Buffer, start: number): number {
  for (let line = bytes.indexOf(NEWLINE, start); line !== -1; line = bytes.indexOf(NEWLINE, line + 1)) {
    if (bytes[line + 1] === NEWLINE) return line + 2;
    if (bytes[line + 1] === RETURN && bytes[line + 2] === NEWLINE) return line + 3;
  }
  return -1;
}

function isUsageReport(event: Buffer): boolean {
  if (!event.includes('"usage"') || !event.includes('"choices"')) return false;
  const line = event
    .toString('utf8')
    .split('\n')
    .find((text) => text.startsWith('data:'));
  const chunk = line === undefined ? undefined : parseLoosely(line.slice(5));
  const choices = memberOf(chunk, 'choices');
  const usage = memberOf(chunk, 'usage');
  return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null;
}
