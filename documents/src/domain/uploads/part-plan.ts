import { DocsvcError } from '../errors.js';

const MIB = 1024 * 1024;

/** Largest file that can be kept (DI-008). */
export const MAX_FILE_BYTES = 5_000_000_000_000;
/** Part numbers end here, as they do in object stores. */
export const MAX_PARTS = 10_000;
export const MAX_PART_BYTES = 5 * 1024 * MIB;

const SMALLEST_PLANNED_PART_BYTES = 8 * MIB;
/** Below {@link MAX_PARTS}, so that rounding up the size of a part never leads past it. */
const PLANNED_PARTS = 9_000;

/** How a file is cut: all parts have one size, except the last, which has what is left. */
export interface PartPlan {
  sizeBytes: number;
  partSizeBytes: number;
  partCount: number;
}

/** Where a part lies in its file. */
export interface PartRange {
  offset: number;
  length: number;
}

/**
 * Cuts a file into parts.
 *
 * @param askedPartBytes size of a part that the client wishes, never smaller than the one that we would take
 * @throws DocsvcError `too_large` above {@link MAX_FILE_BYTES}, `invalid_request` for a size that no part or file has
 */
export function planParts(sizeBytes: number, askedPartBytes?: number): PartPlan {
  if (sizeBytes > MAX_FILE_BYTES)
    throw refusal('too_large', 'sizeBytes', `a file has at most ${MAX_FILE_BYTES} bytes, not ${sizeBytes}`);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 1)
    throw refusal('invalid_request', 'sizeBytes', 'a file has at least one byte, and a whole number of them');
  const planned = Math.max(SMALLEST_PLANNED_PART_BYTES, Math.ceil(sizeBytes / PLANNED_PARTS / MIB) * MIB);
  const partSizeBytes = askedPartBytes ?? planned;
  if (!Number.isSafeInteger(partSizeBytes) || partSizeBytes < planned || partSizeBytes > MAX_PART_BYTES)
    throw refusal(
      'invalid_request',
      'partSizeBytes',
      `a part of this file has between ${planned} and ${MAX_PART_BYTES} bytes; leave partSizeBytes out to get ${planned}`,
    );
  return { sizeBytes, partSizeBytes, partCount: Math.ceil(sizeBytes / partSizeBytes) };
}

/** @throws DocsvcError `invalid_request` for a number that the plan does not have */
export function rangeOfPart({ sizeBytes, partSizeBytes, partCount }: PartPlan, partNumber: number): PartRange {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > partCount)
    throw refusal(
      'invalid_request',
      'partNumber',
      `this upload has parts 1 to ${partCount}, and no part ${partNumber}`,
    );
  const offset = (partNumber - 1) * partSizeBytes;
  return { offset, length: Math.min(partSizeBytes, sizeBytes - offset) };
}

/** Parts from `first` to `last`, both of them missing like all between. */
export interface MissingRange {
  first: number;
  last: number;
}

/** What has to be sent yet, as ranges of part numbers in order. */
export function missingRanges(partCount: number, received: Iterable<number>): MissingRange[] {
  const ranges: MissingRange[] = [];
  let next = 1;
  for (const number of [...new Set(received)].sort((a, b) => a - b)) {
    if (number > next) ranges.push({ first: next, last: number - 1 });
    next = number + 1;
  }
  if (next <= partCount) ranges.push({ first: next, last: partCount });
  return ranges;
}

function refusal(code: 'too_large' | 'invalid_request', path: string, message: string): DocsvcError {
  return new DocsvcError(code, message, { details: [{ path, code, message }] });
}
