import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import type { PartRange } from '../../domain/uploads/part-plan.js';
import { inline } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';

/** One part of a file on its way. */
export interface PartOnItsWay {
  file: string;
  partNumber: number;
  range: PartRange;
  /** An address for it; another one when the last was refused. */
  address(refused: boolean): Promise<string>;
}

/** The upload has ended, or its room is gone: no part gets through any more, and a new upload is needed. */
export class UploadGoneError extends CliError {}

const MAX_BACKOFF_MS = 10_000;
const READ_BYTES = 1024 * 1024;

/**
 * Sends a part, and again after what may pass: a connection that breaks, a server that is busy, an address that expired.
 *
 * @throws UploadGoneError, CliError when it does not get through within `retryAttempts` further tries, or is refused
 */
export async function sendPart(part: PartOnItsWay, retryAttempts: number): Promise<void> {
  const sha256 = await digestOf(part);
  let refused = false;
  for (let tries = 0; ; tries += 1) {
    const outcome = await attempt(part, sha256, await part.address(refused));
    if (outcome === null) return;
    const message = `part ${part.partNumber} did not get through: ${outcome.reason}`;
    if (outcome.gone) throw new UploadGoneError(message, EXIT.notFound);
    if (!outcome.again || tries >= retryAttempts) throw new CliError(message);
    refused = outcome.address;
    if (!refused) await delay(Math.min(MAX_BACKOFF_MS, 250 * 2 ** tries));
  }
}

interface Refusal {
  reason: string;
  again: boolean;
  /** Another address may help. */
  address: boolean;
  /** Only another upload helps. */
  gone: boolean;
}

/** Null when the part counts. */
async function attempt({ file, range }: PartOnItsWay, sha256: Buffer, address: string): Promise<Refusal | null> {
  const { putBytes } = await import('./put-bytes.js');
  try {
    const { status, text } = await putBytes(address, { body: bytesOf(file, range), length: range.length, sha256 });
    if (status === 200) return null;
    const again = [403, 408, 409, 429].includes(status) || status >= 500;
    const gone = status === 404 || status === 410;
    return { reason: inline(text.slice(0, 500)), again, address: status === 403, gone };
  } catch (error) {
    // The system's words for a connection that was refused or broke; the file itself fails the same way each time.
    return { reason: error instanceof Error ? error.message : String(error), again: true, address: false, gone: false };
  }
}

async function digestOf({ file, range }: PartOnItsWay): Promise<Buffer> {
  const hash = createHash('sha256');
  await pipeline(bytesOf(file, range), hash);
  return hash.digest();
}

function bytesOf(file: string, { offset, length }: PartRange): ReturnType<typeof createReadStream> {
  return createReadStream(file, { start: offset, end: offset + length - 1, highWaterMark: READ_BYTES });
}
