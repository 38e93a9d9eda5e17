import { readSync, writeSync } from 'node:fs';
import type { JailLimit, Page, ParseFailure } from '../../../domain/page-model.js';
import { GrowingBuffer } from '../../../../../src/platform/host/growing-buffer.js';
import { packPage } from '../packed-page.js';
import type { ParserLine } from '../parser-protocol.js';

const LINE_FEED = 0x0a;

/** Thrown by a program for a document that it will not or cannot read. */
export class ParserRefusal extends Error {
  constructor(readonly failure: ParseFailure) {
    super(failure.message);
  }
}

export const overLimit = (limit: JailLimit, message: string): ParserRefusal =>
  new ParserRefusal({ kind: 'limit', limit, message });

export const refusal = (kind: Exclude<ParseFailure['kind'], 'limit'>, message: string): ParserRefusal =>
  new ParserRefusal({ kind, message });

/** What the system says when a limit of the jail is reached from inside. */
const SYSTEM_LIMITS: Readonly<Record<string, JailLimit>> = {
  EMFILE: 'open_files',
  ENOSPC: 'written_bytes',
  EFBIG: 'written_bytes',
  EDQUOT: 'written_bytes',
  ENOMEM: 'memory',
  EAGAIN: 'processes',
  ERR_MEMORY_ALLOCATION_FAILED: 'memory',
};

/**
 * Serves the calls that a parser program is started for, one after the other (parser-protocol.ts). `emit` prints one item at once; what the work
 * throws becomes the failure, with which the program ends. An error that is no refusal and no limit ends the process, whose caller then says
 * `crashed`.
 */
export async function serve<Request>(
  work: (request: Request, emit: (item: unknown) => void) => Promise<void> | void,
): Promise<void> {
  try {
    for (const line of requests()) {
      await work(JSON.parse(line) as Request, (item) => print({ item: packed(item) }));
      print({ done: true });
    }
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    print({ failure });
  }
  // Handles that a library left open must not hold the caller up.
  process.exit(0);
}

/** Lines of standard input. Waiting for the next one holds up the whole process, which has nothing else to do then. */
function* requests(): Generator<string> {
  const [chunk, line] = [Buffer.alloc(65_536), new GrowingBuffer()];
  for (let bytes = readSync(0, chunk); bytes > 0; bytes = readSync(0, chunk)) {
    line.append(chunk.subarray(0, bytes));
    if (chunk[bytes - 1] !== LINE_FEED) continue;
    yield line.view().toString('utf8');
    line.clear();
  }
}

function failureOf(error: unknown): ParseFailure | null {
  if (error instanceof ParserRefusal) return error.failure;
  if (!(error instanceof Error)) return null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const limit =
    SYSTEM_LIMITS[code] ??
    (/array buffer allocation failed|invalid array length/i.test(error.message) ? 'memory' : undefined);
  return limit === undefined
    ? null
    : { kind: 'limit', limit, message: `the parser reached its limit: ${code || 'memory'}` };
}

/** Items with a page are the ones with words. */
function packed(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || !('page' in item)) return item;
  return { ...item, page: packPage(item.page as Page) };
}

/** Whole and in order, even into a pipe whose reader is slow. */
function print(line: ParserLine): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let sent = 0; sent < bytes.length;) {
    try {
      sent += writeSync(1, bytes, sent);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
