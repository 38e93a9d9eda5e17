import { createSandgateClient, followEvents } from '../../client/client.js';
import type { SandgateClient as GeneratedClient } from '../../client/client.js';
import { CliError, EXIT, exitCodeOfStatus } from '../terminal/exit-codes.js';
import { inline } from '../terminal/escape.js';
import type { ServerConnection } from './connection.js';
import { asText } from './event-data.js';
import type { RunEvent } from './wire.js';

const REQUEST_TIMEOUT_MS = 30_000;
/** The server comments every 15 s at most; a stream that is silent for longer is dead. */
const SILENCE_MS = 45_000;
const MAX_ERROR_CHARACTERS = 1000;

/** How the generated client answers; `data` is there when the status says so. */
interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The generated client, whose refusals become `CliError` with the server's own sentence, made safe to print. */
export class SandgateClient {
  private readonly api: GeneratedClient;

  constructor(readonly connection: ServerConnection) {
    const { url, token } = connection;
    this.api = createSandgateClient({
      server: url,
      token,
      fetch: (request) =>
        this.send(request, AbortSignal.any([request.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)])),
    });
  }

  async call<T>(send: (api: GeneratedClient) => Promise<Answer<T>>): Promise<T> {
    const { data, error, response } = await send(this.api);
    if (response.ok && data !== undefined) return data;
    throw refusal(response, error, this.connection.context);
  }

  /** Raw content: an artifact or an export. */
  async bytes(path: string): Promise<Buffer> {
    const headers = { authorization: `Bearer ${this.connection.token}`, accept: 'application/octet-stream' };
    const response = await this.send(
      new Request(`${this.connection.url}${path}`, { headers }),
      AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    );
    if (!response.ok) throw await refusalOf(response, this.connection.context);
    return Buffer.from(await response.arrayBuffer());
  }

  /** Events of a run from the one after `after`, until the connection ends, goes silent, or `signal` aborts. */
  async *events(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const silence = new AbortController();
    const watch = new SilenceWatch(() => silence.abort());
    const { url: server, token } = this.connection;
    const open = async (request: Request) => {
      const response = await this.send(request, AbortSignal.any([signal, silence.signal]));
      if (!response.ok) throw await refusalOf(response, this.connection.context);
      return new Response(response.body?.pipeThrough(watch.stream()) ?? null, response);
    };
    try {
      yield* followEvents({ server, token, sessionId, after, signal, fetch: open });
    } finally {
      watch.end();
      silence.abort();
    }
  }

  private send(request: Request, signal: AbortSignal): Promise<Response> {
    return fetchFrom(this.connection, request, signal);
  }
}

/** Throws `CliError` when no answer comes. A redirect is none: a token goes to the server that was named, and nowhere else. */
export async function fetchFrom(
  { url }: Pick<ServerConnection, 'url'>,
  request: Request,
  signal: AbortSignal,
): Promise<Response> {
  const response = await answerOf(url, request, signal);
  if (response.status < 300 || response.status > 399) return response;
  const elsewhere = inline(response.headers.get('location') ?? 'another address');
  throw new CliError(
    `${url} sends on to ${elsewhere}, where no token is sent; name that server itself if you trust it`,
    EXIT.unreachable,
  );
}

async function answerOf(url: string, request: Request, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(request, { signal, redirect: 'manual' });
  } catch (error) {
    throw new CliError(`no answer from ${url}: ${causeOf(error)}`, EXIT.unreachable);
  }
}

/** The server's own sentence, made safe to print; what to do, where the login of a context was refused. */
export async function refusalOf(response: Response, context?: string): Promise<CliError> {
  return refusal(response, parsed(await response.text()), context);
}

/** Notices a stream on which nothing arrives any more. */
class SilenceWatch {
  private timer: NodeJS.Timeout;

  constructor(private readonly onSilence: () => void) {
    this.timer = setTimeout(onSilence, SILENCE_MS);
  }

  stream(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
    return new TransformStream({
      transform: (chunk, controller) => {
        this.end();
        this.timer = setTimeout(this.onSilence, SILENCE_MS);
        controller.enqueue(chunk);
      },
    });
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

function refusal(response: Response, body: unknown, context?: string): CliError {
  const member = asText((body as { error?: unknown } | null | undefined)?.error).slice(0, MAX_ERROR_CHARACTERS);
  const said = inline(member || `the server answered ${response.status}`);
  const isOver = response.status === 401 && context !== undefined;
  const next = isOver ? `: the login of context ${context} is over; sandgate login --context ${context}` : '';
  return new CliError(`${said}${next}`, exitCodeOfStatus(response.status));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function causeOf(error: unknown): string {
  const cause = (error as { cause?: { message?: string } }).cause;
  return inline(cause?.message ?? (error instanceof Error ? error.message : String(error)));
}
