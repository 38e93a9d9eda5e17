import { isJsonObject } from '../../domain/json.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';

/** Whose token a probe carries; `unknown` has the right shape and belongs to nobody. */
export const PROBE_CREDENTIALS = ['tool', 'control', 'llm', 'none', 'unknown'] as const;
export type ProbeCredential = (typeof PROBE_CREDENTIALS)[number];

/**
 * One request to the runner plane, sent as the conformance test of a server needs it and not as a runner would
 * (docs/runner-contract.md).
 */
export interface ProbeRequest {
  /** Under which its observation stands in the file. */
  id: string;
  as: ProbeCredential;
  /** Sends the token as `x-api-key`, as model clients do. */
  asApiKey: boolean;
  method: 'GET' | 'POST';
  /** Below `/internal/`; `{id}` stands for the run's own id. */
  path: string;
  headers: Record<string, string>;
  /** The body as it is sent; null sends none. */
  body: string | null;
  /** Breaks the connection after this many milliseconds without an answer. */
  hangUpAfterMs: number | null;
  /** Repeats until a member of the answer has a value; null asks once. */
  until: { member: string; value: JsonValue; everyMs: number; withinMs: number } | null;
}

/** Requests that are sent at the same time, or a pause. */
export type ProbeItem = { kind: 'requests'; requests: ProbeRequest[] } | { kind: 'wait'; ms: number };

const MAX_ITEMS = 200;
const MAX_WAIT_MS = 60_000;
const MAX_FILL_BYTES = 16 * 1024 * 1024;
const ID = /^[a-z0-9][a-z0-9/.-]{0,79}$/;

/** Reads the items of a probe step; a text instead says what is wrong with them. */
export function parseProbe(value: JsonValue | undefined): ProbeItem[] | string {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ITEMS)
    return `probe must be a list of 1 to ${MAX_ITEMS} items`;
  const items: ProbeItem[] = [];
  for (const entry of value) {
    const item = parseItem(entry);
    if (typeof item === 'string') return item;
    items.push(item);
  }
  return items;
}

function parseItem(entry: JsonValue): ProbeItem | string {
  if (isJsonObject(entry) && Object.hasOwn(entry, 'wait_ms')) {
    const ms = wholeNumber(entry['wait_ms'], MAX_WAIT_MS);
    return ms === null ? `probe: wait_ms must be 1 to ${MAX_WAIT_MS}` : { kind: 'wait', ms };
  }
  const requests: ProbeRequest[] = [];
  for (const one of Array.isArray(entry) ? entry : [entry]) {
    const request = isJsonObject(one) ? parseRequest(one) : 'probe: a request must be an object';
    if (typeof request === 'string') return request;
    requests.push(request);
  }
  return { kind: 'requests', requests };
}

function parseRequest(entry: JsonObject): ProbeRequest | string {
  const { id, path, method = 'POST', headers = {} } = entry;
  if (typeof id !== 'string' || !ID.test(id)) return 'probe: id must be a short lower-case name';
  const credential = PROBE_CREDENTIALS.find((known) => known === entry['as']);
  if (credential === undefined) return `probe ${id}: as must be ${PROBE_CREDENTIALS.join(', ')}`;
  if (method !== 'GET' && method !== 'POST') return `probe ${id}: method must be GET or POST`;
  // A run can reach the runner plane only, so a probe names no other address.
  if (typeof path !== 'string' || !/^\/internal\/[\x21-\x7e]*$/.test(path))
    return `probe ${id}: path must begin with /internal/`;
  if (!isJsonObject(headers) || !Object.values(headers).every((header) => typeof header === 'string'))
    return `probe ${id}: headers must be an object of strings`;
  const body = bodyOf(entry);
  if (body === undefined) return `probe ${id}: fill must be 1 to ${MAX_FILL_BYTES} bytes, text a string`;
  return {
    id,
    as: credential,
    asApiKey: entry['via'] === 'x-api-key',
    method,
    path,
    headers: headers as Record<string, string>,
    body,
    hangUpAfterMs: wholeNumber(entry['hang_up_after_ms'], MAX_WAIT_MS),
    until: untilOf(entry['until']),
  };
}

/**
 * `body` is JSON, `text` is sent as it stands, `fill` is a call whose input has that many bytes. Undefined when none of them is
 * well-formed.
 */
function bodyOf(entry: JsonObject): string | null | undefined {
  const { body, text, fill } = entry;
  if (text !== undefined) return typeof text === 'string' ? text : undefined;
  if (fill === undefined) return body === undefined ? null : JSON.stringify(body);
  const bytes = wholeNumber(fill, MAX_FILL_BYTES);
  if (bytes === null) return undefined;
  return JSON.stringify({ ...(isJsonObject(body) ? body : {}), input: 'x'.repeat(bytes) });
}

function untilOf(value: JsonValue | undefined): ProbeRequest['until'] {
  if (!isJsonObject(value)) return null;
  return {
    member: typeof value['member'] === 'string' ? value['member'] : '',
    value: value['value'] ?? null,
    everyMs: wholeNumber(value['every_ms'], MAX_WAIT_MS) ?? 200,
    withinMs: wholeNumber(value['within_ms'], MAX_WAIT_MS) ?? MAX_WAIT_MS,
  };
}

function wholeNumber(value: JsonValue | undefined, most: number): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= most ? value : null;
}
