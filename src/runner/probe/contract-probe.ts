import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../domain/json.js';
import { nodeHttp } from '../contract/node-http.js';
import type { ContractAddress } from '../contract/contract-transport.js';
import { messageOf } from '../log/failure-text.js';
import type { RunnerTokens } from '../launch/hand-off.js';
import type { ProbeItem, ProbeRequest } from './probe-step.js';

/** The outcome of one request. It holds nothing that was sent, because tokens never leave this process. */
export type Observation = JsonObject;

/** Performs probes in order; `observed` is called after each. */
export type ContractProbe = (
  items: readonly ProbeItem[],
  observed: (observation: Observation) => Promise<void>,
) => Promise<void>;

const MAX_TEXT = 2_000;
const ANSWER_TIMEOUT_MS = 120_000;
const UNKNOWN_TOKEN = `svc_sess_${'0f'.repeat(32)}`;
/** Headers that the contract mentions. */
const SHOWN_HEADERS = ['content-type', 'retry-after', 'retry-after-ms', 'x-should-retry'];

/**
 * Puts requests to the runner plane with the run's own tokens. It asks for nothing that a stolen token could not ask for
 * (docs/design/runner.md), follows no directive of the run, and is told to by the script of a replay run only.
 */
export async function performProbes(
  run: { address: ContractAddress; runId: string; tokens: RunnerTokens },
  items: readonly ProbeItem[],
  observed: (observation: Observation) => Promise<void>,
): Promise<void> {
  const send = (request: ProbeRequest): Promise<Observation> =>
    sendOnce(run.address, headersOf(request, run.tokens), {
      ...request,
      path: request.path.replace('{id}', run.runId),
    });
  for (const item of items) {
    if (item.kind === 'wait') await sleep(item.ms);
    else await Promise.all(item.requests.map(async (request) => observed(await repeat(request, send))));
  }
}

async function repeat(
  request: ProbeRequest,
  send: (request: ProbeRequest) => Promise<Observation>,
): Promise<Observation> {
  const { until } = request;
  const deadline = performance.now() + (until?.withinMs ?? 0);
  for (;;) {
    const observation = await send(request);
    const body = observation['body'];
    const value = typeof body === 'object' && body !== null && !Array.isArray(body) ? body[until?.member ?? ''] : null;
    if (until === null || value === until.value || performance.now() > deadline) return observation;
    await sleep(until.everyMs);
  }
}

function headersOf(request: ProbeRequest, tokens: RunnerTokens): http.OutgoingHttpHeaders {
  const token = request.as === 'unknown' ? UNKNOWN_TOKEN : request.as === 'none' ? null : tokens[request.as];
  return {
    ...(token === null ? {} : request.asApiKey ? { 'x-api-key': token } : { authorization: `Bearer ${token}` }),
    ...(request.body === null
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(request.body) }),
    ...request.headers,
    connection: 'close',
  };
}

function sendOnce(
  address: ContractAddress,
  headers: http.OutgoingHttpHeaders,
  request: ProbeRequest,
): Promise<Observation> {
  const base = new URL(address.baseUrl);
  const target =
    address.socketPath === null ? { host: base.hostname, port: base.port || 80 } : { socketPath: address.socketPath };
  const path = base.pathname.replace(/\/+$/, '') + request.path;
  const begun = performance.now();
  return new Promise((resolve) => {
    const finish = (seen: JsonObject): void =>
      resolve({ id: request.id, ms: Math.round(performance.now() - begun), ...seen });
    const signal = AbortSignal.timeout(request.hangUpAfterMs ?? ANSWER_TIMEOUT_MS);
    const outgoing = nodeHttp.request({
      ...target,
      method: request.method,
      path,
      headers: { host: base.host, ...headers },
      signal,
    });
    outgoing.on('response', (response) => {
      readText(response).then(
        (text) => finish({ status: response.statusCode ?? 0, headers: shown(response), body: bodyOf(text) }),
        (error: unknown) => finish({ failure: messageOf(error) }),
      );
    });
    outgoing.on('error', (error) => finish({ failure: signal.aborted ? 'hung up' : messageOf(error) }));
    outgoing.end(request.body ?? undefined);
  });
}

function shown(response: http.IncomingMessage): JsonObject {
  return Object.fromEntries(
    SHOWN_HEADERS.flatMap((name) =>
      response.headers[name] === undefined ? [] : [[name, String(response.headers[name])]],
    ),
  );
}

function bodyOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text.slice(0, MAX_TEXT);
  }
}

async function readText(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const bytes of response as AsyncIterable<Buffer>) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8');
}
