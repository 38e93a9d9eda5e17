import { InvalidArgumentError, type Command } from 'commander';
import { verifyCallback, type CallbackReport } from '../../domain/deliveries/verify-callback.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { wholeNumber } from '../terminal/arguments.js';
import { inline } from '../terminal/escape.js';
import { printDocument, write, type OutputFormat } from '../terminal/output.js';
import { readNamedFile, readNamedText, reading } from './document.js';
import { formatOf } from './program-context.js';
import { parseHeaders } from './webhook-headers-file.js';
import { listenForWebhooks, type ListenFlags } from './webhooks-listen.js';

interface VerifyFlags {
  readonly headers: string;
  readonly secretFile: string;
  readonly at?: Date;
}

const DEFAULT_PORT = 8686;

export function registerWebhookCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('Try a receiver of results: check a request that came, or receive some here. Needs no server.');
  webhooks
    .command('verify')
    .description('Check the signatures of a saved request, and say what is wrong with it.')
    .argument('<body>', 'file with its body, byte for byte')
    .requiredOption('--headers <file>', 'its headers, a line each or as a JSON object; - for standard input')
    .requiredOption('--secret-file <file>', 'callback secret of the trigger, in either form; - for standard input')
    .option('--at <time>', 'when it came, such as 2026-03-01T12:00:00Z; now when left out', pointInTime)
    .action((body: string, flags: VerifyFlags, command: Command) => verify(body, flags, formatOf(command)));
  webhooks
    .command('listen')
    .description('Receive results on this machine, verify and print them, until Ctrl+C. For development.')
    .option('--port <port>', 'where to listen, on 127.0.0.1; 0 takes a free one', wholeNumber, DEFAULT_PORT)
    .option('--secret-file <file>', 'callback secrets of triggers, one a line; - for standard input')
    .option('--save <folder>', 'keep each request as two files that `webhooks verify` reads')
    .option('--answer <status>', 'answer this status instead of 204, to see it come again', statusCode)
    .action((flags: ListenFlags, command: Command) => listenForWebhooks(flags, formatOf(command)));
}

function verify(bodyFile: string, { headers: file, secretFile, at }: VerifyFlags, format: OutputFormat): void {
  if (file === '-' && secretFile === '-')
    throw new CliError('--headers and --secret-file cannot both be standard input', EXIT.usage);
  const headers = reading(file, () => parseHeaders(readNamedText(file)));
  const report = verifyCallback(
    { headers, body: readNamedFile(bodyFile) },
    readNamedText(secretFile),
    at ?? new Date(),
  );
  if (format === 'table') printReport(report, at === undefined);
  else printDocument(format, report);
  if (!report.ok) throw new CliError('the request does not verify', EXIT.conflict);
}

function printReport({ verified, problems, ...report }: CallbackReport, isNow: boolean): void {
  for (const header of verified) write(`${header} fits the body`);
  for (const { fault, message } of problems) write(`${fault}: ${inline(message)}`);
  if (isNow && problems.some(({ fault }) => fault === 'too_old'))
    write('If it is a request of the past, say with --at when it came.');
  if (problems.length > 0) return;
  write(`Delivery ${inline(report.delivery_id ?? '')}, signed ${report.signed_at ?? ''}, ${report.payload_digest}`);
}

function pointInTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text))
    throw new InvalidArgumentError('must be a time with its zone, such as 2026-03-01T12:00:00Z');
  return time;
}

function statusCode(text: string): number {
  if (!/^[2-5]\d\d$/.test(text)) throw new InvalidArgumentError('must be a status from 200 to 599');
  return Number(text);
}
