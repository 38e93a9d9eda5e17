import type { JailLimit, ParseFailure } from '../../domain/page-model.js';
import { GrowingBuffer } from '../../../../src/platform/host/growing-buffer.js';
import { AnswerBounds, AnswerTooLarge, lineTooLong } from './answer-bounds.js';
import { DOCUMENT_LIMITS, SANDBOX_LIMITS } from './parser-protocol.js';

const LINE_FEED = 0x0a;
const MAX_MESSAGE = 300;
const NOT_AGREED: ParseFailure = { kind: 'crashed', message: 'the parser answered something else than was agreed' };
const KINDS = ['password_required', 'broken', 'unsupported', 'crashed'] as const;

/**
 * Reads the lines of a program that may be a stranger's, as they come: every line is taken as it was agreed, or none after it. Whoever takes a
 * program over chooses what its lines become here, so that they are counted before they are read.
 */
export class AnswerReader<T> {
  readonly items: T[] = [];
  /** The last line, when it is the one that ends an answer. */
  end: { failure: ParseFailure | null } | null = null;
  /** Set by the first line that is not what was agreed; nothing after it counts. */
  fault: ParseFailure | null = null;
  private readonly bounds: AnswerBounds;
  /** The beginning of a line whose end has not come yet. */
  private readonly begun = new GrowingBuffer();

  constructor(
    private readonly maxLineBytes: number,
    private readonly accept: (item: unknown) => T,
  ) {
    this.bounds = new AnswerBounds(maxLineBytes);
  }

  /** Takes what was printed next. What comes after the end was not agreed either. */
  push(chunk: Buffer): void {
    let start = 0;
    while (this.end === null && this.fault === null && start < chunk.length) {
      const end = chunk.indexOf(LINE_FEED, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      start += part.length + 1;
      if (end < 0) this.begin(part);
      else if (this.begun.length === 0) this.takeLine(part);
      else {
        this.begun.append(part);
        this.takeLine(this.begun.view());
        this.begun.clear();
      }
    }
    if (start < chunk.length) this.fault ??= NOT_AGREED;
  }

  private begin(part: Buffer): void {
    this.begun.append(part);
    if (this.begun.length > this.maxLineBytes) this.fault = lineTooLong(this.maxLineBytes).failure;
  }

  private takeLine(line: Buffer): void {
    try {
      this.bounds.count(line);
      const said = asObject(JSON.parse(line.toString('utf8')));
      if ('done' in said) this.end = { failure: null };
      else if ('failure' in said) this.end = { failure: asFailure(asObject(said['failure'])) };
      else this.items.push(this.accept(said['item']));
    } catch (error) {
      this.fault = error instanceof AnswerTooLarge ? error.failure : NOT_AGREED;
    }
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object');
  return value as Record<string, unknown>;
}

/** A failure as a program tells it. @throws Error for anything that is none */
export function asFailure(value: Record<string, unknown>): ParseFailure {
  const { kind, limit } = value;
  const said = typeof value['message'] === 'string' ? value['message'] : '';
  const message = said.replace(/\p{C}/gu, ' ').slice(0, MAX_MESSAGE);
  const known = KINDS.find((one) => one === kind);
  if (known !== undefined) return { kind: known, message };
  const which: JailLimit | undefined = [...SANDBOX_LIMITS, ...DOCUMENT_LIMITS].find((one) => one === limit);
  if (kind !== 'limit' || which === undefined) throw new Error('not a failure');
  return { kind: 'limit', limit: which, message };
}
