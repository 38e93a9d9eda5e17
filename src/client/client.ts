import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.js';

/** Records of the interface by their names in the OpenAPI document. */
export type Schemas = components['schemas'];
export type SandgateClient = Client<paths>;

export interface ClientOptions {
  /** Origin of the server, for example `http://127.0.0.1:8787`. */
  server: string;
  /** Left out where no credential is needed, such as to sign in. */
  token?: string;
  /** Replaces the global `fetch`, for example to set a dispatcher. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A typed client of the public plane; the types are generated from `openapi.json`. */
export function createSandgateClient(options: ClientOptions): SandgateClient {
  return createClient<paths>({
    baseUrl: options.server,
    ...(options.token === undefined ? {} : { headers: { authorization: `Bearer ${options.token}` } }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
}

/**
 * Follows a run's events from the one after `after`, until the connection ends or `signal` aborts. Throws what the server
 * refused with; a caller that wants to go on resumes from the last seq that it saw.
 */
export async function* followEvents(
  options: ClientOptions & { token: string; sessionId: string; after?: number; signal?: AbortSignal },
): AsyncGenerator<Schemas['EventView']> {
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const response = await send(
    new Request(new URL(`/v1/sessions/${encodeURIComponent(options.sessionId)}/events/stream`, options.server), {
      headers: {
        authorization: `Bearer ${options.token}`,
        accept: 'text/event-stream',
        ...(options.after === undefined ? {} : { 'last-event-id': String(options.after) }),
      },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }),
  );
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`);
  for await (const frame of readFrames(response.body)) {
    const data = frame.split('\n').find((line) => line.startsWith('data: '));
    if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as Schemas['EventView'];
  }
}

/** Frames of an event stream end with a blank line. */
async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let pending = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    pending += chunk;
    const frames = pending.split('\n\n');
    pending = frames.pop() ?? '';
    yield* frames;
  }
}
