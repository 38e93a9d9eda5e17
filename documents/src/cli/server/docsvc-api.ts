import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, parseJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import type { Credential } from '../credentials/choose-credential.js';
import type { TokenCache } from '../credentials/token-cache.js';
import { inline } from '../terminal/escape.js';
import { CliError, EXIT, type ExitCode } from '../terminal/exit-codes.js';

const MAX_WAIT_MS = 60_000;
const TRIES_WHEN_BUSY = 4;
const BUSY = new Set([429, 503]);
const EXIT_OF_STATUS: Readonly<Record<number, ExitCode>> = {
  400: EXIT.usage,
  401: EXIT.notSignedIn,
  403: EXIT.forbidden,
  404: EXIT.notFound,
  409: EXIT.conflict,
  410: EXIT.conflict,
};

const EXIT_OF_CODE: Readonly<Record<string, ExitCode>> = {
  extraction_failed: EXIT.failed,
  extraction_cancelled: EXIT.failed,
};

/** A request to the API. */
export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Members that are undefined are left out. */
  query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON, a form as a form. */
  body?: object | undefined;
  headers?: Readonly<Record<string, string>>;
}

/** The refusal of the API, with its code. */
export class ApiError extends CliError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly JsonValue[],
  ) {
    super(message, EXIT_OF_CODE[code] ?? EXIT_OF_STATUS[status] ?? EXIT.error);
  }
}

/** The API as the command line speaks to it: one origin, one credential. */
export class DocsvcApi {
  private token: string | null = null;

  constructor(
    readonly url: string,
    private readonly credential: () => Credential,
    private readonly tokens: TokenCache,
  ) {}

  /** The JSON of an answer, null where there is none. @throws ApiError, CliError when the API cannot be reached */
  async request(path: string, request: ApiRequest = {}): Promise<JsonValue> {
    const answer = await this.send(path, request);
    const text = await answer.text();
    return text === '' ? null : (JSON.parse(text) as JsonValue);
  }

  /** {@link request}, for answers that are an object, as the description of the API names it. */
  async object<T extends object = JsonObject>(path: string, request: ApiRequest = {}): Promise<T> {
    const answer = await this.request(path, request);
    if (isJsonObject(answer)) return answer as T;
    throw new CliError(`${this.url} did not answer an object for ${path}; is it a docsvc?`);
  }

  /** Every row of a list, page after page, until there are so many. */
  async rows<T extends object = JsonObject>(path: string, query: ApiRequest['query'], most = Infinity): Promise<T[]> {
    const rows: T[] = [];
    let cursor: string | undefined;
    do {
      const limit = Math.min(200, most - rows.length);
      const page = await this.object<{ data: T[]; nextCursor: string | null }>(path, {
        query: { ...query, limit, cursor },
      });
      rows.push(...page.data);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && rows.length < most);
    return rows;
  }

  /** An answer of 2xx, whose body is left to the caller. */
  async send(path: string, request: ApiRequest): Promise<Response> {
    let fresh = false;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.attempt(path, request, await this.bearer());
      if (answer.ok) return answer;
      const error = await readError(answer);
      if (error.status === 401 && !fresh && this.credential().kind === 'client') {
        fresh = true;
        await this.exchange();
      } else if (BUSY.has(error.status) && tries < TRIES_WHEN_BUSY && error.code !== 'quota_exceeded') {
        const seconds = Number(answer.headers.get('retry-after') ?? 2 ** tries);
        await delay(Math.min(seconds * 1_000, MAX_WAIT_MS));
      } else throw error;
    }
  }

  private async attempt(path: string, request: ApiRequest, token: string): Promise<Response> {
    const { method = 'GET', query = {}, body, headers } = request;
    const url = new URL(this.url + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, `${value}`);
    return reach(url, {
      method,
      redirect: 'error',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  }

  private async bearer(): Promise<string> {
    if (this.token !== null) return this.token;
    const credential = this.credential();
    if (credential.kind === 'token') return credential.token;
    this.token = this.tokens.find(this.origin, credential.clientId, credential.clientSecret);
    return this.token ?? this.exchange();
  }

  /** A new token for the client. */
  private async exchange(): Promise<string> {
    const credential = this.credential();
    if (credential.kind === 'token') throw new CliError('the token of DOCSVC_TOKEN has expired', EXIT.notSignedIn);
    const { clientId, clientSecret } = credential;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const answer = await reach(new URL(`${this.url}/oauth/token`), {
      method: 'POST',
      redirect: 'error',
      body: new URLSearchParams(form),
    });
    const said = parseJsonObject(await answer.text()) ?? {};
    if (!answer.ok || typeof said['access_token'] !== 'string') {
      const { error_description: why, error } = said;
      const reason = inline([why, error].find((one) => typeof one === 'string') ?? `status ${answer.status}`);
      throw new CliError(
        `${this.url} gives no token to the client of ${credential.source}: ${reason}`,
        EXIT.notSignedIn,
      );
    }
    this.token = said['access_token'];
    this.tokens.keep(this.origin, clientId, clientSecret, this.token, Number(said['expires_in']));
    return this.token;
  }

  private get origin(): string {
    return new URL(this.url).origin;
  }
}

async function reach(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new CliError(`${url.origin} cannot be reached: ${reason}; is it running, and is defaults.api_url right?`, 1, {
      cause,
    });
  }
}

/** The error body of the API, or of whatever answered in its place. */
export async function readError(answer: Response): Promise<ApiError> {
  const error = parseJsonObject(await answer.text())?.['error'];
  const { code, message, details } = isJsonObject(error) ? error : {};
  if (typeof code !== 'string' || typeof message !== 'string')
    return new ApiError(answer.status, 'unknown', `the server answered ${answer.status}`, []);
  return new ApiError(
    answer.status,
    code,
    `${inline(message)} (${inline(code)})`,
    Array.isArray(details) ? details : [],
  );
}
