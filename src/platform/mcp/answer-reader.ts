import type { Readable } from 'node:stream';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../../domain/digest/parse-json.js';
import { SandgateError } from '../../domain/errors.js';
import type { GuardedResponse } from '../egress/guarded-request.js';
import { readEvents } from './event-stream.js';
import { ExchangeError } from './exchange-error.js';

const RELEASE_WITHIN_MS = 250;
const RELEASE_BYTES = 65_536;

/**
 * The messages of one answer in the order of their arrival: a JSON document holds one or an array, an event stream one in each
 * event. Stop reading whenever enough was seen; the rest is left to end by itself.
 * @throws ExchangeError `unclear` for another media type, malformed JSON and streams over their limits; EgressError of the body
 */
export async function* readMessages(response: GuardedResponse): AsyncGenerator<ExactJson> {
  const type = mediaTypeOf(response);
  if (type === 'application/json') {
    const document = parse(await response.readBody());
    if (document === undefined) throw new ExchangeError({ kind: 'unclear' }, 'the answer is malformed JSON');
    yield* Array.isArray(document) ? document : [document];
    return;
  }
  if (type !== 'text/event-stream') {
    release(response.body);
    throw new ExchangeError({ kind: 'unclear' }, 'the answer is neither JSON nor an event stream');
  }
  try {
    for await (const data of readEvents(response.body.iterator({ destroyOnReturn: false }))) {
      const message = parse(data);
      if (message !== undefined) yield message;
    }
  } finally {
    release(response.body);
  }
}

/** Gives an answer a moment to end by itself, so that its connection can be reused; a longer one is cut off. */
export function release(body: Readable): void {
  if (body.closed) return;
  let left = RELEASE_BYTES;
  const cut = setTimeout(() => body.destroy(), RELEASE_WITHIN_MS).unref();
  body.on('error', () => clearTimeout(cut)).once('close', () => clearTimeout(cut));
  body.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) body.destroy();
  });
}

function mediaTypeOf({ headers }: GuardedResponse): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/** Undefined for what is no JSON. */
function parse(text: string | Buffer): ExactJson | undefined {
  try {
    return parseJsonPreservingNumbers(text.toString());
  } catch (error) {
    if (error instanceof SandgateError) return undefined;
    throw error;
  }
}
