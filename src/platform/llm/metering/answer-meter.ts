import { createHash, hash, type Hash } from 'node:crypto';
import type { ModelUsage } from '../../../domain/prices/price-list.js';
import { isStorableName, MAX_NAME_CHARACTERS } from '../../../domain/storage/storable-text.js';
import { SseLines } from './sse-lines.js';

/** A tool use that the model asked for: its id and name, never its input (docs/design/model-gateway.md). */
export interface MeteredToolUse {
  id: string;
  tool: string;
}

/**
 * What an answer reported about itself. `usage` is null when the provider's final report never came: a stream that broke off
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

/** The part of reading an answer that differs between dialects. It keeps counts, ids and names, nothing else. */
export interface AnswerReader {
  /** Every event that tells something holds one of these; the rest of a stream is not taken apart. */
  readonly telling: readonly string[];
  /** An unterminated line of a stream beyond this is dropped. */
  readonly maxLineBytes: number;
  /** The data of one event of a stream, without `data:`. */
  readEvent(data: string): void;
  /** A whole answer. */
  readAnswer(answer: unknown): void;
  result(): Omit<MeteredAnswer, 'digest'>;
}

/** A whole answer beyond this goes unread. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * A model may give a tool any name, which must not keep its usage off the record. A use whose id cannot be stored is left out,
 * because its result will be refused for that id; a name that cannot be stored is replaced.
 */
function resultOf(reader: AnswerReader): Omit<MeteredAnswer, 'digest'> {
  const { usage, toolUses } = reader.result();
  return {
    usage,
    toolUses: toolUses.flatMap(({ id, tool }) =>
      isStorableName(id)
        ? [{ id, tool: tool.slice(0, MAX_NAME_CHARACTERS).replaceAll('\u0000', '\ufffd').toWellFormed() }]
        : [],
    ),
  };
}

/** The meter of one answer, streamed or whole. */
export function meterWith(reader: AnswerReader, streamed: boolean): AnswerMeter {
  return streamed ? new StreamMeter(reader) : new WholeMeter(reader);
}

/** The value of a JSON text; undefined for any other text, which has no usage and went to the client unchanged. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Meter of a server-sent event stream. Keeps at most one line, so memory stays flat over any length. */
class StreamMeter implements AnswerMeter {
  private readonly hash = createHash('sha256');
  private readonly lines: SseLines;

  constructor(private readonly reader: AnswerReader) {
    this.lines = new SseLines(reader.maxLineBytes);
  }

  push(chunk: Buffer): void {
    this.hash.update(chunk);
    this.read(this.lines.push(chunk));
  }

  end(): MeteredAnswer {
    this.read(this.lines.end());
    return { ...resultOf(this.reader), digest: `sha256:${this.hash.digest('hex')}` };
  }

  private read(complete: Buffer): void {
    const { telling } = this.reader;
    // Text deltas are most of a stream and report nothing; only pieces that name usage or a tool use are taken apart.
    if (!telling.some((word) => complete.includes(word))) return;
    for (const line of complete.toString('utf8').split('\n')) {
      if (line.startsWith('data:') && telling.some((word) => line.includes(word))) this.reader.readEvent(line.slice(5));
    }
  }
}

/** Meter of a whole JSON answer. One that is too large to be read is still digested, from there on piece by piece. */
class WholeMeter implements AnswerMeter {
  private overflow: Hash | null = null;
  private chunks: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly reader: AnswerReader) {}

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
    const whole = this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks);
    if (this.overflow === null) this.reader.readAnswer(parseLoosely(whole.toString('utf8')));
    return {
      ...resultOf(this.reader),
      digest: `sha256:${this.overflow?.digest('hex') ?? hash('sha256', whole, 'hex')}`,
    };
  }
}
