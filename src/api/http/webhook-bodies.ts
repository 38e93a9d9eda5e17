import { on } from 'node:events';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';

/** Largest webhook; code hosts cut theirs far below. */
export const MAX_WEBHOOK_BYTES = 2 * 1024 * 1024;

const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

/** A name that no sender has a reason to use: requests get it here, so that one parser reads them whatever they call their body. */
const AS_SENT = 'application/x-sandgate-as-sent';

const BYTES = new WeakMap<object, Buffer>();

/** The body of a request to one of these routes, exactly as it was sent. */
export function sentBytes(request: FastifyRequest): Buffer {
  return BYTES.get(request) ?? Buffer.alloc(0);
}

/**
 * Keeps the bodies of these routes exactly as they were sent, because a signature is over their bytes. Anybody can send one, so each has
 * `withinMs` to arrive; then its sender is told so and cut off.
 */
export function keepBytesBelow(server: FastifyInstance, prefix: string, withinMs: number): void {
  const takes = (url: string | undefined): boolean => url?.startsWith(prefix) === true;
  server.addHook('onRequest', (request, _reply, done) => {
    if (takes(request.routeOptions.url)) request.headers['content-type'] = AS_SENT;
    done();
  });
  server.addContentTypeParser(AS_SENT, async (request: FastifyRequest, body: Readable): Promise<undefined> => {
    // Not as the request's body: whoever looks for members of that would look at every byte.
    if (takes(request.routeOptions.url)) BYTES.set(request, await readWithin(withinMs, body));
    else throw new SandgateError('unsupported_media_type', 'the request body must be application/json');
  });
}

async function readWithin(ms: number, body: Readable): Promise<Buffer> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await readBytes(body, late.signal);
  } catch (cause) {
    if (!late.signal.aborted) throw cause;
    throw new SandgateError('request_timeout', `the body did not arrive within ${ms / 1000} s`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function readBytes(body: Readable, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Not the stream's own iterator: that would end the connection before the sender is answered.
  for await (const [chunk] of on(body, 'data', { close: ['end'], signal }) as AsyncIterable<[Buffer]>) {
    size += chunk.length;
    // What is beyond the limit is read and dropped, so that the sender reads why it was refused; one that does not end is cut off.
    if (size > MAX_WEBHOOK_BYTES) chunks.length = 0;
    else chunks.push(chunk);
    if (size > MAX_DROPPED_BYTES) {
      body.destroy();
      break;
    }
  }
  if (size > MAX_WEBHOOK_BYTES)
    throw new SandgateError('invalid_request', `the body is larger than ${MAX_WEBHOOK_BYTES} bytes`);
  return Buffer.concat(chunks, size);
}
