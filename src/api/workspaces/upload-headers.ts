import type { IncomingHttpHeaders } from 'node:http';
import { SandgateError } from '../../domain/errors.js';
import { BASE_COMMIT_HEADER, LEFT_OUT_HEADER } from '../../domain/workspace/upload-limits.js';

const ARCHIVE = /^application\/gzip\s*(?:;|$)/i;
const COUNT = /^\d{1,9}$/;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** What the headers of an upload say about it. */
export interface UploadHeaders {
  /** Null where the sender does not know yet. */
  length: number | null;
  leftOut: number;
  baseCommit: string | null;
}

/** @throws SandgateError `invalid_request` that names the header, `unsupported_media_type` for what is no archive */
export function readUploadHeaders(headers: IncomingHttpHeaders): UploadHeaders {
  if (!ARCHIVE.test(headers['content-type'] ?? ''))
    throw new SandgateError('unsupported_media_type', 'the request body must be application/gzip');
  const length = headers['content-length'];
  return {
    length: length === undefined ? null : Number(length),
    leftOut: Number(matching(headers, LEFT_OUT_HEADER, COUNT, 'must be a whole number') ?? '0'),
    baseCommit: matching(headers, BASE_COMMIT_HEADER, COMMIT, 'must be 40 or 64 hexadecimal digits') ?? null,
  };
}

function matching(headers: IncomingHttpHeaders, name: string, form: RegExp, words: string): string | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && form.test(value)) return value;
  throw new SandgateError('invalid_request', `${name}: ${words}`);
}
