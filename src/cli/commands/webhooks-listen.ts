import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verifyCallback, type CallbackReport } from '../../domain/deliveries/verify-callback.js';
import { parseJsonObject } from '../../domain/json.js';
import { isUuid } from '../../domain/uuid.js';
import { textOf } from '../server/event-data.js';
import { inline, short } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { toJson, write, type OutputFormat } from '../terminal/output.js';
import { readNamedText } from './document.js';
import { fromCaller } from './program-context.js';

export interface ListenFlags {
  readonly port: number;
  readonly secretFile?: string;
  readonly save?: string;
  readonly answer?: number;
}

const HOST = '127.0.0.1';
/** Diffs come inline; nobody needs more to see that they do. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** How long requests that are under way may take once the listener stops. */
const PATIENCE_MS = 2_000;

/** Receives webhooks on this machine until it is interrupted. @throws CliError when it cannot listen */
export async function listenForWebhooks(flags: ListenFlags, format: OutputFormat): Promise<void> {
  const secrets = flags.secretFile === undefined ? null : secretsOf(flags.secretFile);
  if (flags.save !== undefined) mkdirSync(fromCaller(flags.save), { recursive: true });
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  const listener = new WebhookListener(flags, secrets, format);
  const server = createServer((request, response) => {
    listener.take(request, response).catch((error: unknown) => {
      // One request that breaks off, or that cannot be saved, ends no listening.
      process.stderr.write(`A request failed: ${inline(error instanceof Error ? error.message : String(error))}.\n`);
      if (!response.headersSent) end(response, 500);
    });
  });
  try {
    await listenOn(server, flags.port);
    announce((server.address() as AddressInfo).port, secrets !== null);
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
  setTimeout(() => server.closeAllConnections(), PATIENCE_MS).unref();
  await once(server.close(), 'close');
  process.stderr.write(`Stopped after ${listener.count} ${listener.count === 1 ? 'request' : 'requests'}.\n`);
}

function secretsOf(file: string): string[] {
  const secrets = readNamedText(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (secrets.length === 0) throw new CliError(`${inline(file)} holds no secret`, EXIT.usage);
  return secrets;
}

async function listenOn(server: Server, port: number): Promise<void> {
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new CliError(`cannot listen on ${HOST}:${port}: ${(error as Error).message}; choose another with --port`);
  }
}

function announce(port: number, verifies: boolean): void {
  process.stderr.write(
    [
      `Listening; give http://${HOST}:${port}/ to a trigger as its callback_url. Ctrl+C ends.`,
      'Only a server on this machine whose SERVICE_PUBLIC_URL is http on loopback (as it is without the setting) sends here, and only',
      'if it was started with this setting, or with this network among those that the setting names already:',
      '',
      `  SERVICE_EGRESS_ALLOW_CIDRS=${HOST}/32`,
      '',
      ...(verifies ? [] : ['Nothing is verified without --secret-file.']),
      '',
    ].join('\n'),
  );
}

/** What is said of one request. */
interface Receipt {
  received_at: string;
  path: string;
  /** Null when there is no secret to verify with. */
  verification: CallbackReport | null;
  /** Whether a request with this delivery's id came before. */
  again: boolean;
  answered: number;
  /** Where the request was saved: this name and `.body`, `.headers`. */
  saved: string | null;
  headers: Record<string, string>;
  body: unknown;
}

class WebhookListener {
  count = 0;
  private readonly seen = new Set<string>();

  constructor(
    private readonly flags: ListenFlags,
    private readonly secrets: readonly string[] | null,
    private readonly format: OutputFormat,
  ) {}

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return end(response, 405);
    const body = await bodyOf(request);
    if (body === null) return end(response, 413);
    const receipt = this.receive(request, body);
    this.count += 1;
    if (this.format === 'table') for (const line of linesOf(receipt)) write(line);
    else write(toJson(receipt, 0));
    end(response, receipt.answered);
  }

  private receive(request: IncomingMessage, body: Buffer): Receipt {
    const at = new Date();
    const headers = flat(request);
    const verification = this.verify({ headers, body }, at);
    const id = headers['x-service-delivery'] ?? headers['webhook-id'] ?? '';
    const again = id !== '' && this.seen.has(id);
    this.seen.add(id);
    return {
      received_at: at.toISOString(),
      path: request.url ?? '/',
      verification,
      again,
      answered: this.flags.answer ?? (verification?.ok === false ? 401 : 204),
      saved: this.save(request, body, { at, id }),
      headers,
      body: parseJsonObject(body.toString('utf8')),
    };
  }

  /** By whichever secret fits; with none, what the one says that comes nearest. */
  private verify(request: { headers: Record<string, string>; body: Buffer }, at: Date): CallbackReport | null {
    const reports = (this.secrets ?? []).map((secret) => verifyCallback(request, secret, at));
    return reports.toSorted((a, b) => rank(b) - rank(a))[0] ?? null;
  }

  private save(request: IncomingMessage, body: Buffer, { at, id }: { at: Date; id: string }): string | null {
    if (this.flags.save === undefined) return null;
    const name = `${at.toISOString().replaceAll(/[:.]/g, '')}-${isUuid(id) ? id : this.count}`;
    const path = join(fromCaller(this.flags.save), name);
    const lines = Object.entries(flat(request)).map(([header, value]) => `${header}: ${value}\n`);
    writeFileSync(`${path}.headers`, lines.join(''), { flag: 'wx' });
    writeFileSync(`${path}.body`, body, { flag: 'wx' });
    return path;
  }
}

function rank({ ok, verified }: CallbackReport): number {
  return ok ? 3 : verified.length;
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** Null for a body that is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function end(response: ServerResponse, status: number): void {
  // A stop then waits for requests, and for no connection that has none.
  response.writeHead(status, { connection: 'close' }).end();
}

function linesOf({ received_at: at, verification, again, answered, saved, body }: Receipt): string[] {
  const document = (body ?? {}) as { [key: string]: unknown };
  const run = (document['run'] ?? {}) as { [key: string]: unknown };
  const what = [
    textOf(document, 'event') || 'a request',
    ...(typeof document['attempt'] === 'number' ? [`attempt ${document['attempt']}`] : []),
    ...(textOf(run, 'id') === '' ? [] : [`run ${textOf(run, 'id')} ${textOf(run, 'status')}`]),
    ...(again ? ['again'] : []),
    saidOf(verification),
    `answered ${answered}`,
  ];
  const summary = textOf(run, 'summary');
  return [
    `${at.slice(11, 19)} ${what.map(inline).join(', ')}`,
    ...(verification?.problems ?? []).map(({ fault, message }) => `  ${fault}: ${inline(message)}`),
    ...(summary === '' ? [] : [`  ${short(summary, 110)}`]),
    ...(saved === null ? [] : [`  saved as ${inline(saved)}.body and .headers, for --at ${at}`]),
  ];
}

function saidOf(report: CallbackReport | null): string {
  if (report === null) return 'not verified';
  return report.ok ? `verified by ${report.verified.join(' and ')}` : 'does not verify';
}
