import { setTimeout as delay } from 'node:timers/promises';
import { CliError, EXIT } from '../exit-codes.js';
import type { SandgateClient } from './sandgate-client.js';
import type { RunEvent } from './wire.js';

const RECONNECT_MS = 500;
/** The server comments every 15 s at most; a stream that is silent for longer is dead. */
const SILENCE_MS = 45_000;
const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;

/** Every event of a run after `after`, once and in order; reconnects where the connection breaks. Ends when `signal` says so. */
export async function* followEvents(
  client: SandgateClient,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let last = after;
  while (!signal.aborted) {
    try {
      for await (const event of readOnce(client, runId, last, signal)) {
        if (event.seq <= last) continue;
        last = event.seq;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CliError && error.exitCode !== EXIT.unreachable) throw error;
    }
    await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function* readOnce(
  client: SandgateClient,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(after) };
    const response = await client.open(
      `/v1/sessions/${runId}/events/stream`,
      headers,
      AbortSignal.any([signal, silence.signal]),
    );
    if (response.body === null) return;
    for await (const line of linesOf(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      if (line.startsWith('data:')) yield JSON.parse(line.slice('data:'.length)) as RunEvent;
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS) throw new CliError('the server sent an endless line');
    yield* lines;
  }
}
