import { closeSync, readSync } from 'node:fs';
import { isJsonObject } from '../../domain/json.js';
import { isSystemError } from '../../domain/system-error.js';
import { messageOf } from '../log/failure-text.js';

/** The descriptor on which the launcher hands the runner its variables and tokens (docs/design/sandbox.md, docs/design/runner.md). */
export const HAND_OFF_FD = 3;
export const MAX_HAND_OFF_BYTES = 1024 * 1024;

const CHUNK_BYTES = 64 * 1024;
/** Digits of a length, and their newline. */
const MAX_HEAD_BYTES = 9;
const RETRY_WAIT_MS = 5;
const MAX_WAIT_MS = 10_000;

export interface RunnerTokens {
  control: string;
  tool: string;
  /** Empty for a setup, which calls no model. */
  llm: string;
}

export interface HandOff {
  variables: Record<string, string>;
  tokens: RunnerTokens;
}

/** The hand-off was attempted and failed: exit code 4, never a fall-back to the environment. */
export class HandOffError extends Error {
  override readonly name = 'HandOffError';
}

/**
 * Reads the one JSON document on `fd` to its end and closes the descriptor, so that no process started later inherits it. A launcher
 * that cannot end what it writes says first how many bytes follow, in digits and a newline.
 * Throws {@link HandOffError} when there is no document, it is over 1 MiB, or it has another shape. Messages never quote it.
 */
export function readHandOff(fd: number = HAND_OFF_FD): HandOff {
  const bytes = readToEnd(fd);
  try {
    return parseHandOff(bytes.toString('utf8'));
  } finally {
    bytes.fill(0);
  }
}

function readToEnd(fd: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  let end = Number.POSITIVE_INFINITY;
  const deadline = Date.now() + MAX_WAIT_MS;
  try {
    while (total < end) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const count = readOnce(fd, chunk, deadline);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      total += count;
      if (end === Number.POSITIVE_INFINITY) end = announcedEnd(chunks);
      const headBytes = end === Number.POSITIVE_INFINITY ? 0 : MAX_HEAD_BYTES;
      if (total > MAX_HAND_OFF_BYTES + headBytes) throw new HandOffError('the hand-off document is larger than 1 MiB');
    }
  } catch (error) {
    if (error instanceof HandOffError) throw error;
    throw new HandOffError(`descriptor ${fd} cannot be read: ${messageOf(error)}`);
  }
  closeSync(fd);
  const whole = Buffer.concat(chunks);
  for (const chunk of chunks) chunk.fill(0);
  return documentOf(whole, end);
}

/** Where the document ends, head included; infinity while that is not known, and where only the end of the input tells. */
function announcedEnd(chunks: readonly Buffer[]): number {
  const head = Buffer.concat(chunks).subarray(0, MAX_HEAD_BYTES).toString('latin1');
  const announced = /^(\d{1,8})\n/.exec(head);
  return announced === null ? Number.POSITIVE_INFINITY : announced[0].length + Number(announced[1]);
}

function documentOf(whole: Buffer, end: number): Buffer {
  const start = end === Number.POSITIVE_INFINITY ? 0 : whole.indexOf('\n') + 1;
  if (end !== Number.POSITIVE_INFINITY && whole.length !== end)
    throw new HandOffError('the hand-off document is not as long as announced');
  if (whole.length - start > MAX_HAND_OFF_BYTES) throw new HandOffError('the hand-off document is larger than 1 MiB');
  return whole.subarray(start);
}

/** A launcher may hand over a non-blocking pipe; nothing else runs yet, so waiting synchronously does no harm. */
function readOnce(fd: number, chunk: Buffer, deadline: number): number {
  for (;;) {
    try {
      return readSync(fd, chunk);
    } catch (error) {
      if (!isSystemError(error, 'EAGAIN') || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_WAIT_MS);
    }
  }
}

function parseHandOff(text: string): HandOff {
  const document = parseJson(text);
  if (!isJsonObject(document)) throw new HandOffError('the hand-off document is not a JSON object');
  const variables = stringMap(document['variables'], 'variables');
  const tokens = stringMap(document['tokens'], 'tokens');
  const { control, tool, llm = '' } = tokens;
  const needsModel = !variables['SERVICE_SETUP'];
  if (!control || !tool || (needsModel && !llm))
    throw new HandOffError('the hand-off document lacks a token: control, tool and llm are required');
  return { variables, tokens: { control, tool, llm } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, and the text holds the tokens.
    throw new HandOffError('the hand-off document is not JSON');
  }
}

function stringMap(value: unknown, member: string): Record<string, string> {
  if (!isJsonObject(value)) throw new HandOffError(`member ${member} of the hand-off document is not an object`);
  const result = Object.create(null) as Record<string, string>;
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry !== 'string') throw new HandOffError(`${member}.${name} of the hand-off document is not a string`);
    result[name] = entry;
  }
  return result;
}
