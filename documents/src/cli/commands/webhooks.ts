import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { isMissing } from '../../../../src/domain/system-error.js';
import { refuseWebhook, type SignedHeaders, type WebhookRefusal } from '../../domain/webhooks/webhook-signature.js';
import { CliContext } from '../context/cli-context.js';
import { callerPath } from '../settings/caller-folder.js';
import { safeJson } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { groupOf } from '../verbs/verb.js';

const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const REASONS: Readonly<Record<WebhookRefusal, string>> = {
  headers_missing: 'it lacks webhook-id, webhook-timestamp or webhook-signature',
  timestamp_skewed: 'it is older than five minutes, or from the future',
  signature_wrong: 'the signature is not of this body with this secret',
  id_repeated: 'its id was accepted before',
};

interface VerifyFlags {
  secret?: string;
  ignoreAge?: boolean;
}

/** `webhooks verify` and `webhooks listen`, which need no API. */
export function addWebhooks(program: Command): void {
  const webhooks = groupOf(program, 'webhooks').description('who is told of what happens in the project');
  webhooks
    .command('verify <request>')
    .description('check a request that was saved: lines of headers, an empty line, the body')
    .option('--secret <secret>', 'of the webhook; DOCSVC_WEBHOOK_SECRET without it')
    .option('--ignore-age', 'also one that is older than five minutes')
    .action((path: string, flags: VerifyFlags, command: Command) => {
      const context = CliContext.of(command);
      const { headers, body } = readRequest(callerPath(path));
      const sentAt = Number(headers['webhook-timestamp']) * 1_000;
      const now = flags.ignoreAge === true && Number.isFinite(sentAt) ? new Date(sentAt) : new Date();
      const refusal = refuseWebhook(secretOf(flags.secret), headers, body, { now, seen: new Set() });
      if (refusal !== null) throw new CliError(`the request is refused: ${REASONS[refusal]}`);
      context.note('the request is good');
    });
  webhooks
    .command('listen')
    .description('receive webhooks on this host, for development: one line of JSON for each')
    .option('--port <number>', 'where', '8799')
    .option('--secret <secret>', 'of the webhook; DOCSVC_WEBHOOK_SECRET without it')
    .action(async ({ port, secret }: { port: string; secret?: string }, command: Command) => {
      const context = CliContext.of(command);
      await listen(context, Number(port), secretOf(secret));
    });
}

/** Until it is interrupted. @throws CliError when the port is taken */
async function listen(context: CliContext, port: number, secret: string): Promise<void> {
  const seen = new Set<string>();
  // Brings Node's client along, which most commands have no use for.
  const { createServer } = await import('node:http');
  const server = createServer((request, reply) => {
    receive(context, secret, seen, request, reply).catch((error: unknown) => {
      context.note(`a request broke off: ${error instanceof Error ? error.message : String(error)}`);
      reply.destroy();
    });
  });
  await new Promise<void>((done, fail) => {
    server.once('error', (cause) => fail(new CliError(`port ${port} cannot be used: ${cause.message}`, EXIT.error)));
    process.once('SIGINT', () => {
      server.closeAllConnections();
      server.close(() => done());
    });
    server.listen(port, '127.0.0.1', () => context.note(`listening on http://127.0.0.1:${port}, until Ctrl+C`));
  });
}

async function receive(
  context: CliContext,
  secret: string,
  seen: Set<string>,
  request: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  const body = await text(request);
  const headers = signedHeaders((name) => request.headers[name]?.toString());
  const refusal = refuseWebhook(secret, headers, body, { now: new Date(), seen });
  reply.writeHead(refusal === null ? 204 : 401).end();
  if (refusal === null) context.print(safeJson(JSON.parse(body)));
  else context.note(`refused: ${REASONS[refusal]}`);
}

function readRequest(path: string): { headers: Partial<SignedHeaders>; body: string } {
  const content = readText(path);
  const end = /\r?\n\r?\n/.exec(content);
  if (end === null) throw new CliError(`${path} has no empty line between headers and body`, EXIT.usage);
  const lines = content.slice(0, end.index).split(/\r?\n/);
  const said = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { headers: signedHeaders((name) => said.get(name)), body: content.slice(end.index + end[0].length) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) throw new CliError(`there is no ${path}`, EXIT.notFound);
    throw error;
  }
}

function signedHeaders(valueOf: (name: string) => string | undefined): Partial<SignedHeaders> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function secretOf(flag: string | undefined): string {
  const secret = flag ?? process.env['DOCSVC_WEBHOOK_SECRET'];
  if (secret !== undefined && secret !== '') return secret;
  throw new CliError('--secret, or DOCSVC_WEBHOOK_SECRET, has the secret of the webhook', EXIT.usage);
}
