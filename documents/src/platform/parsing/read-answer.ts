import type { JailLimit, ParseFailure } from '../../domain/page-model.js';
import { AnswerBounds, AnswerTooLarge } from './answer-bounds.js';
import { DOCUMENT_LIMITS, SANDBOX_LIMITS } from './parser-protocol.js';

/** What a program printed, as far as it keeps to the protocol. */
export interface Answer<T> {
  items: T[];
  /** The last line, when it is the one that ends an answer. */
  end: { failure: ParseFailure | null } | null;
  /** Set by the first line that is not what was agreed; nothing after it counts. */
  fault: ParseFailure | null;
}

const LINE_FEED = 0x0a;
const MAX_MESSAGE = 300;
const NOT_AGREED: ParseFailure = { kind: 'crashed', message: 'the parser answered something else than was agreed' };
const KINDS = ['password_required', 'broken', 'unsupported', 'crashed'] as const;

/**
 * Reads the lines of a program that may be a stranger's: every line is taken as it was agreed, or none after it. Whoever takes a program over
 * chooses what its lines become here, so that they are counted before they are read.
 */
export function readAnswer<T>(output: Buffer, maxLineBytes: number, accept: (item: unknown) => T): Answer<T> {
  const items: T[] = [];
  const bounds = new AnswerBounds(maxLineBytes);
  for (let start = 0; start < output.length;) {
    const end = output.indexOf(LINE_FEED, start);
    // The program was ended in the middle of a line.
    if (end < 0) break;
    try {
      bounds.count(output, start, end);
      const line = asObject(JSON.parse(output.toString('utf8', start, end)));
      if ('done' in line) return { items, end: { failure: null }, fault: null };
      if ('failure' in line) return { items, end: { failure: asFailure(asObject(line['failure'])) }, fault: null };
      items.push(accept(line['item']));
    } catch (error) {
      return { items, end: null, fault: error instanceof AnswerTooLarge ? error.failure : NOT_AGREED };
    }
    start = end + 1;
  }
  return { items, end: null, fault: null };
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
