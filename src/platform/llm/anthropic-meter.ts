import { createHash, hash, type Hash } from 'node:crypto';
import type { ModelUsage } from '../../domain/prices/price-of.js';

/** A tool use that the model asked for: its id and name, never its input (04-sandbox §1). */
export interface MeteredToolUse {
  id: string;
  tool: string;
}

/**
 * What an answer told about itself. `usage` is null when the provider's final report never came: a stream that broke off
 * after its first report has produced tokens that nobody counted.
 */
export interface MeteredAnswer {
  usage: ModelUsage | null;
  toolUses: MeteredToolUse[];
  /** `sha256:` over the bytes of the answer. */
  digest: string;
}

/** Reads usage and tool uses out of an answer while its bytes pass by. */
export interface AnswerMeter {
  push(chunk: Buffer): void;
  end(): MeteredAnswer;
}

/** An unterminated line of a stream beyond this is skipped; a whole answer beyond it goes unread (chapter 20 §15.7). */
const MAX_LINE_BYTES = 512 * 1024;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
/** Words that every telling event of a stream holds; what an agent writes about them stands in escaped quotes. */
const TELLING = ['"usage"', '"tool_use"', '"message_stop"'];

type Loose = Record<string, unknown>;

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Loose)[name] : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
}

/** Collects what Anthropic usage objects say; the counts of a stream are cumulative, so later reports replace earlier ones. */
class UsageReader {
  private usage: ModelUsage | null = null;
  private readonly toolUses: MeteredToolUse[] = [];
  private final = false;

  readUsage(report: unknown): void {
    if (typeof report !== 'object' || report === null) return;
    const usage = (this.usage ??= { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 });
    usage.inputTokens = Math.max(usage.inputTokens, count(member(report, 'input_tokens')) ?? 0);
    usage.outputTokens = Math.max(usage.outputTokens, count(member(report, 'output_tokens')) ?? 0);
    usage.cacheReadTokens = Math.max(usage.cacheReadTokens, count(member(report, 'cache_read_input_tokens')) ?? 0);
    usage.cacheWriteTokens = Math.max(
      usage.cacheWriteTokens,
      count(member(report, 'cache_creation_input_tokens')) ?? 0,
    );
    const oneHour = count(member(member(report, 'cache_creation'), 'ephemeral_1h_input_tokens'));
    if (oneHour !== undefined && oneHour > 0) {
      usage.cacheWriteOneHourTokens = Math.min(oneHour, usage.cacheWriteTokens);
    }
  }

  /** The report that has been read is the last one. */
  finish(): void {
    this.final = true;
  }

  readBlock(block: unknown): void {
    if (member(block, 'type') !== 'tool_use') return;
    const id = member(block, 'id');
    const name = member(block, 'name');
    if (typeof id === 'string' && typeof name === 'string') this.toolUses.push({ id, tool: name });
  }

  result(digest: string): MeteredAnswer {
    return { usage: this.final ? this.usage : null, toolUses: this.toolUses, digest };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A line that is not JSON carries no usage; the bytes went to the client as they came.
    return undefined;
  }
}

/** Meter of a server-sent event stream. Keeps at most one line, so memory stays flat over any length. */
class StreamMeter implements AnswerMeter {
  private readonly reader = new UsageReader();
  private readonly hash = createHash('sha256');
  private pending: Buffer = Buffer.alloc(0);
  private skipping = false;

  push(chunk: Buffer): void {
    this.hash.update(chunk);
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) return this.keep(chunk);
    const complete = this.complete(chunk.subarray(0, end));
    this.pending = Buffer.alloc(0);
    this.skipping = false;
    this.keep(chunk.subarray(end + 1));
    // Text deltas are the bulk of a stream and tell nothing; only pieces that name usage or a tool use are taken apart.
    if (TELLING.some((word) => complete.includes(word))) this.readLines(complete.toString('utf8'));
  }

  end(): MeteredAnswer {
    if (!this.skipping && this.pending.length > 0) this.readLines(this.pending.toString('utf8'));
    return this.reader.result(`sha256:${this.hash.digest('hex')}`);
  }

  private complete(head: Buffer): Buffer {
    if (this.skipping) {
      const start = head.indexOf(NEWLINE);
      return start === -1 ? Buffer.alloc(0) : head.subarray(start + 1);
    }
    return this.pending.length === 0 ? head : Buffer.concat([this.pending, head]);
  }

  private keep(tail: Buffer): void {
    if (tail.length === 0 || this.skipping) return;
    if (this.pending.length + tail.length > MAX_LINE_BYTES) {
      this.pending = Buffer.alloc(0);
      this.skipping = true;
      return;
    }
    this.pending = Buffer.concat([this.pending, tail]);
  }

  private readLines(text: string): void {
    for (const line of text.split('\n')) {
      if (!line.startsWith('data:')) continue;
      if (!TELLING.some((word) => line.includes(word))) continue;
      this.readEvent(parse(line.slice(5)));
    }
  }

  private readEvent(event: unknown): void {
    switch (member(event, 'type')) {
      case 'message_start':
        return this.reader.readUsage(member(member(event, 'message'), 'usage'));
      case 'message_delta':
        this.reader.readUsage(member(event, 'usage'));
        return this.reader.finish();
      case 'message_stop':
        return this.reader.finish();
      case 'content_block_start':
        return this.reader.readBlock(member(event, 'content_block'));
    }
  }
}

/** Meter of a whole JSON answer. One that is too large to be read is still digested, from there on piece by piece. */
class WholeMeter implements AnswerMeter {
  private overflow: Hash | null = null;
  private chunks: Buffer[] = [];
  private bytes = 0;

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.overflow !== null) {
      this.overflow.update(chunk);
      return;
    }
    this.chunks.push(chunk);
    if (this.bytes <= MAX_ANSWER_BYTES) return;
    this.overflow = createHash('sha256');
    for (const kept of this.chunks) this.overflow.update(kept);
    this.chunks = [];
  }

  end(): MeteredAnswer {
    const reader = new UsageReader();
    const whole = this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks);
    const answer = this.overflow === null ? parse(whole.toString('utf8')) : undefined;
    reader.readUsage(member(answer, 'usage'));
    reader.finish();
    const content = member(answer, 'content');
    if (Array.isArray(content)) for (const block of content) reader.readBlock(block);
    return reader.result(`sha256:${this.overflow?.digest('hex') ?? hash('sha256', whole, 'hex')}`);
  }
}

/** The meter for an answer of the Anthropic Messages API, streamed or whole (chapter 20 §15.7). */
export function meterAnthropicAnswer(streamed: boolean): AnswerMeter {
  return streamed ? new StreamMeter() : new WholeMeter();
}
