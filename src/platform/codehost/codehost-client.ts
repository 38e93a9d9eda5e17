import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { isRepositoryName } from '../../domain/run/workspace-input.js';
import { EgressError } from '../egress/egress-error.js';
import type { GuardedClient } from '../egress/guarded-client.js';
import { CodehostError } from './codehost-error.js';

/** Of one call, its answer included (docs/design/connections.md). */
const CALL_MS = 15_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

export interface CodehostCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query, below the address of the API. */
  path: string;
  /** Null where whoever asks is nobody. */
  bearer: string | null;
  body?: JsonObject;
}

/** A list is checked by whoever asked for one. */
export interface CodehostAnswer {
  status: number;
  body: JsonObject;
  headers: Headers;
}

/**
 * Single calls of the code host's REST API. Its address is the operator's, so no class of addresses is closed to it. Redirects are
 * refused.
 */
export class CodehostClient {
  /** @param client for hosts that the operator configured */
  constructor(
    private readonly baseUrl: string,
    private readonly client: Pick<GuardedClient, 'request'>,
  ) {}

  /** @throws CodehostError for everything but a success whose body is JSON, or empty with status 204 */
  async call({ method, path, bearer, body }: CodehostCall): Promise<CodehostAnswer> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    try {
      const response = await this.client.request({
        method,
        url: `${this.baseUrl}${path}`,
        headers: {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          'user-agent': 'service',
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(sent === undefined ? {} : { body: sent }),
        timeoutMs: CALL_MS,
        maxBodyBytes: MAX_ANSWER_BYTES,
        redirects: 'refuse',
      });
      if (response.status < 200 || response.status > 299) {
        response.discard();
        throw new CodehostError(response.status, `the code host answered ${response.status}`);
      }
      const bytes = await response.readBody();
      const { status, headers } = response;
      return { status, body: status === 204 ? {} : parseAnswer(bytes), headers };
    } catch (cause) {
      if (!(cause instanceof EgressError)) throw cause;
      throw new CodehostError(null, `the code host could not be asked: ${cause.message}`, { cause });
    }
  }
}

function parseAnswer(bytes: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (isJsonObject(value) || Array.isArray(value)) return value as JsonObject;
  } catch (cause) {
    throw new CodehostError(null, 'the code host answered with something that is not JSON', { cause });
  }
  throw malformed();
}

export function idOf(row: JsonObject, member = 'id'): string {
  const id = row[member];
  if (typeof id === 'number' && Number.isSafeInteger(id)) return String(id);
  if (typeof id === 'string' && /^\d{1,20}$/.test(id)) return id;
  throw malformed();
}

export function textOf(row: JsonObject, member: string): string {
  const value = row[member];
  if (typeof value === 'string' && value !== '') return value;
  throw malformed();
}

/** Null for what is missing or no text. */
export function optionalText(row: JsonObject, member: string): string | null {
  const value = row[member];
  return typeof value === 'string' ? value : null;
}

export function rowsOf(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) throw malformed();
  return value.filter(isJsonObject);
}

/** A repository is named by people and by events, so its parts are kept from being read as other paths. */
export function repositoryPath(repository: string): string {
  if (!isRepositoryName(repository)) throw new CodehostError(null, 'the repository is not named owner/name');
  return `/repos/${repository}`;
}

export function malformed(): CodehostError {
  return new CodehostError(null, 'the code host answered with something other than its API promises');
}
