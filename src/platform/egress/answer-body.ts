import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { EgressError } from './egress-error.js';

/** No encoding is requested; an answer that is encoded all the same is decoded, and the ceiling counts the decoded bytes. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
};

export interface BodyLimits {
  maxBodyBytes: number;
  /** Turns the failure of a stream into an error of ours. */
  describe: (cause: unknown) => EgressError;
  /** Called once, when the body has ended, failed or been abandoned. */
  finished: () => void;
}

/**
 * The body of an answer, decoded, with its ceiling.
 *
 * @throws EgressError `encoding`, or `too_large` when the answer announces more than the ceiling
 */
export function limitBody(raw: Readable, headers: Headers, limits: BodyLimits): Readable {
  const encoding = (headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  const decoder = encoding === 'identity' || encoding === '' ? null : DECODERS[encoding];
  if (decoder === undefined)
    throw new EgressError('encoding', true, 'the answer has a content encoding that was not asked for');
  if (Number(headers.get('content-length') ?? 0) > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
  const ceiling = new Ceiling(limits);
  const stages = decoder === null ? [raw, ceiling] : [raw, decoder(), ceiling];
  pipeline(stages, limits.finished);
  return ceiling;
}

class Ceiling extends Transform {
  private bytes = 0;

  constructor(private readonly limits: BodyLimits) {
    super();
    // An abandoned body may still fail; a reader learns of it from the stream's iterator or its own listener.
    this.on('error', () => undefined);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    const { maxBodyBytes } = this.limits;
    if (this.bytes > maxBodyBytes) done(tooLarge(maxBodyBytes));
    else done(null, chunk);
  }

  /** Described before the stream keeps it: who begins to read later finds what is kept. */
  override destroy(cause?: Error | null): this {
    return super.destroy(cause === undefined || cause === null ? undefined : this.limits.describe(cause));
  }
}

function tooLarge(maxBodyBytes: number): EgressError {
  return new EgressError('too_large', true, `the answer is larger than ${maxBodyBytes} bytes`);
}
