import { CliError, EXIT, exitCodeOfStatus } from '../exit-codes.js';
import { inline } from '../terminal/escape.js';
import type { ServerConnection } from './connection.js';

const REQUEST_TIMEOUT_MS = 30_000;
const MAX_ERROR_CHARACTERS = 1000;

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Speaks to the public plane; every refusal becomes a `CliError` with the server's own sentence, made safe to print. */
export class SandgateClient {
  constructor(readonly connection: ServerConnection) {}

  async json<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.request(method, path, options);
    return (await response.json()) as T;
  }

  async bytes(path: string): Promise<Buffer> {
    const response = await this.request('GET', path, { headers: { accept: 'application/octet-stream' } });
    return Buffer.from(await response.arrayBuffer());
  }

  /** An open answer, for streams: no time limit of its own. */
  async open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    const response = await this.send(new URL(`${this.connection.url}${path}`), {
      headers: this.headers(headers),
      signal,
    });
    if (!response.ok) throw await refusal(response);
    return response;
  }

  private async request(method: string, path: string, options: RequestOptions): Promise<Response> {
    const hasBody = options.body !== undefined;
    const response = await this.send(this.address(path, options.query), {
      method,
      headers: this.headers({ ...(hasBody ? { 'content-type': 'application/json' } : {}), ...options.headers }),
      ...(hasBody ? { body: JSON.stringify(options.body) } : {}),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (!response.ok) throw await refusal(response);
    return response;
  }

  private async send(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, { ...init, redirect: 'error' });
    } catch (error) {
      if (init.signal?.aborted === true && (error as Error).name === 'AbortError') throw error;
      throw new CliError(`no answer from ${this.connection.url}: ${causeOf(error)}`, EXIT.unreachable);
    }
  }

  private address(path: string, query: RequestOptions['query'] = {}): URL {
    const url = new URL(`${this.connection.url}${path}`);
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== undefined) url.searchParams.append(name, String(one));
    }
    return url;
  }

  private headers(more: Readonly<Record<string, string>>): Record<string, string> {
    return { authorization: `Bearer ${this.connection.token}`, accept: 'application/json', ...more };
  }
}

async function refusal(response: Response): Promise<CliError> {
  const text = await response.text().catch(() => '');
  return new CliError(
    inline(errorMember(text) ?? `the server answered ${response.status}`),
    exitCodeOfStatus(response.status),
  );
}

function errorMember(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error.slice(0, MAX_ERROR_CHARACTERS) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function causeOf(error: unknown): string {
  const cause = (error as { cause?: { message?: string } }).cause;
  return inline(cause?.message ?? (error instanceof Error ? error.message : String(error)));
}
