import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { RUN_STATUSES, isTerminal, parseRunStatus } from '../../domain/run/status.js';
import type { RunStatus } from '../../domain/run/status.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { agentOf, findRun, readCost, readDiff, shortId } from '../server/runs.js';
import { textOf } from '../server/event-data.js';
import type { RunEvent, Session } from '../server/wire.js';
import { colourDiff } from '../terminal/colour-diff.js';
import { block } from '../terminal/escape.js';
import { printDocument, printRecord, printRows, write } from '../terminal/output.js';
import type { Column } from '../terminal/output.js';
import { coloursFor } from '../terminal/style.js';
import { renderEveryEvent } from '../views/timeline.js';
import { follow } from './run.js';

const EVENT_PAGE = 500;

const COLUMNS: readonly Column<Session>[] = [
  { title: 'RUN', value: (run) => shortId(run.id) },
  { title: 'STATUS', value: (run) => run.status },
  { title: 'AGENT', value: (run) => agentOf(run), width: 20 },
  { title: 'CREATED', value: (run) => run.created_at.slice(0, 19).replace('T', ' ') },
  { title: 'TASK', value: (run) => run.task, width: 60 },
];

interface ListFlags {
  readonly limit: number;
  readonly status?: string[];
  readonly agent?: string;
  readonly label?: string[];
}

export function registerRunsCommands(program: Command): void {
  program
    .command('runs')
    .description('List runs, newest first.')
    .option('-n, --limit <count>', 'at most this many', wholeNumber, 20)
    .option('--status <status...>', 'only in these statuses')
    .option('--agent <name>', 'only of this agent')
    .option('--label <name=value...>', 'only with these labels')
    .action((flags: ListFlags, command: Command) => list(flags, contextOf(command)));
  runCommand(program, 'watch', 'Follow a run live; approvals are asked in place.', watch, '[run]');
  runCommand(program, 'show', 'Show a run.', show);
  runCommand(program, 'log', 'Print the timeline of a run.', log);
  runCommand(program, 'diff', 'Print the change that a run made; raw when piped.', diff);
  runCommand(program, 'cost', 'Show what a run used.', cost);
  runCommand(program, 'cancel', 'Ask a run to stop.', cancel);
}

function runCommand(
  program: Command,
  name: string,
  description: string,
  act: (run: string, context: CommandContext) => Promise<void>,
  argument = '<run>',
): void {
  program
    .command(name)
    .description(description)
    .argument(argument, 'id of the run, part of it, or "last"')
    .action((run: string | undefined, _flags: unknown, command: Command) => act(run ?? 'last', contextOf(command)));
}

async function list(flags: ListFlags, { client, format }: CommandContext): Promise<void> {
  const query = {
    limit: flags.limit,
    ...(flags.status === undefined ? {} : { status: flags.status.map(knownStatus) }),
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    ...(flags.label === undefined ? {} : { label: flags.label }),
  };
  const { sessions } = await client.call((api) => api.GET('/v1/sessions', { params: { query } }));
  printRows(format, sessions, COLUMNS, 'No runs.');
}

function knownStatus(text: string): RunStatus {
  const status = parseRunStatus(text);
  if (status === undefined) throw new CliError(`--status takes ${RUN_STATUSES.join(', ')}`, EXIT.usage);
  return status;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('must be a whole number above 0');
  return Number(text);
}

async function watch(run: string, context: CommandContext): Promise<void> {
  process.exitCode = await follow(await findRun(context.client, run), context);
}

async function show(name: string, { client, format }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  printRecord(format, run, [
    ['Run', run.id],
    ['Status', run.status_reason === null ? run.status : `${run.status} (${run.status_reason})`],
    ['Agent', agentOf(run)],
    ['Model', textOf(run.run_spec, 'model')],
    ['Task', run.task],
    [
      'Labels',
      Object.entries(run.labels)
        .map(([label, value]) => `${label}=${value}`)
        .join(', '),
    ],
    ['Base commit', run.base_commit ?? ''],
    ['Result', run.result_summary ?? ''],
    ['Created', run.created_at],
    ['Started', run.started_at ?? ''],
    ['Finished', run.finished_at ?? ''],
  ]);
}

async function log(name: string, { client, format }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  const events: RunEvent[] = [];
  const colours = coloursFor(process.stdout);
  const startedAtMs = Date.parse(run.created_at);
  for (let after = 0; ;) {
    const query = { after, limit: EVENT_PAGE };
    const page = await client.call((api) =>
      api.GET('/v1/sessions/{id}/events', { params: { path: { id: run.id }, query } }),
    );
    if (format === 'table') for (const event of page.events) write(renderEveryEvent(event, startedAtMs, colours));
    else events.push(...page.events);
    const last = page.events.at(-1);
    if (last === undefined || page.events.length < EVENT_PAGE) break;
    after = last.seq;
  }
  if (format !== 'table') printDocument(format, events);
}

async function diff(name: string, { client, format }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  const artifact = await readDiff(client, run.id);
  if (artifact === null) {
    const ended = isTerminal(parseRunStatus(run.status) ?? 'running');
    throw new CliError(ended ? 'this run has no diff' : 'the diff is taken when the run ends', EXIT.notFound);
  }
  if (format !== 'table') return printDocument(format, artifact);
  const bytes = await client.bytes(`/v1/sessions/${run.id}/artifacts/${artifact.id}`);
  if (process.stdout.isTTY !== true) process.stdout.write(bytes);
  else write(colourDiff(block(bytes.toString('utf8'))));
}

async function cost(name: string, { client, format }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  const totals = await readCost(client, run.id);
  const cap = run.budgets.max_cost_usd;
  printRecord(format, totals, [
    ['Cost', `$${totals.cost_usd.toFixed(6)}${typeof cap === 'number' ? ` of $${cap}` : ''}`],
    ['Model requests', String(totals.requests)],
    ['Input tokens', String(totals.input_tokens)],
    ['Output tokens', String(totals.output_tokens)],
    ['Cache read', String(totals.cache_read_tokens)],
    ['Cache write', String(totals.cache_write_tokens)],
    ['Tool calls', String(totals.tool_calls)],
    ['Without usage', `${totals.unreported_requests} requests, $${totals.reserved_cost_usd.toFixed(6)} held`],
  ]);
}

async function cancel(name: string, { client, format }: CommandContext): Promise<void> {
  const run = await findRun(client, name);
  const answer = await client.call((api) => api.POST('/v1/sessions/{id}/cancel', { params: { path: { id: run.id } } }));
  if (format !== 'table') return printDocument(format, answer);
  write(`${run.id}: ${answer.cancelled ? 'asked to stop' : 'had ended before'}`);
}
