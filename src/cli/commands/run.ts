import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { EXIT } from '../terminal/exit-codes.js';
import { RunFollower } from '../views/follow-run.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { readCost, readDiff } from '../server/runs.js';
import type { Session } from '../server/wire.js';
import { inline } from '../terminal/escape.js';
import { LiveScreen } from '../terminal/live-screen.js';
import { printDocument, write } from '../terminal/output.js';
import { ApprovalDesk } from '../views/decide.js';
import { createRun } from './create-run.js';
import { composeRun } from './run-request.js';
import type { RunFlags } from './run-request.js';

export function registerRunCommand(program: Command): void {
  program
    .command('run')
    .description('Start a run and follow it: timeline, cost, remaining budget; approvals are asked in place.')
    .argument('[task...]', 'what to do')
    .option('-a, --agent <name>', 'agent that runs', 'fixer')
    .option('-w, --workspace <folder>', 'local folder whose files the sandbox gets; the original stays as it is')
    .option(
      '--upload',
      'send the folder instead of letting the server copy it; so it is done anyway when the server is elsewhere',
    )
    .option('--git <url>', 'repository to check out instead')
    .option('--ref <ref>', 'branch, tag or commit of --git')
    .option('--include <glob...>', 'ignored files of the folder to copy as well')
    .option('--task-file <path>', 'read the task from a file, - for standard input')
    .option('--autonomous', 'nobody is asked: what would need an approval is decided by policy')
    .option('--allow-unpriced', 'run a model without a known price although a cost cap is in force')
    .option(
      '--capabilities <names>',
      'keep only these of the agent’s bundles, separated by commas; none keeps no bundle',
    )
    .option(
      '--network <what>',
      'less than the agent’s network: offline, approved (all of it), or presets and host:port separated by commas',
    )
    .addOption(
      new Option('-l, --label <name=value>', 'label of the run; may be given more than once').argParser(collectPair),
    )
    .addOption(
      new Option(
        '--bind <slot=connection>',
        'connection (name or id) that serves a slot of the agent; may be given more than once',
      ).argParser(collectPair),
    )
    .option('--max-cost <dollars>', 'cost cap', positive)
    .option('--max-tokens <count>', 'token cap', positive)
    .option('--max-calls <count>', 'tool call cap', positive)
    .option('--max-time <seconds>', 'time cap', positive)
    .option('--again <run>', 'repeat an earlier run: same agent, task, workspace and mode')
    .option('-d, --detach', 'do not follow')
    .action((task: string[], flags: RunFlags, command: Command) => start(task, flags, contextOf(command)));
}

async function start(words: string[], flags: RunFlags, context: CommandContext): Promise<void> {
  const body = await composeRun(words, flags, context.client);
  const session = await createRun(body, flags, context);
  if (flags.detach === true) {
    if (context.format === 'table') write(session.id);
    else printDocument(context.format, { session });
    return;
  }
  process.exitCode = await follow(session, context);
}

/** Follows to the end; the first Ctrl+C stops following, not the run. */
export async function follow(session: Session, context: CommandContext): Promise<number> {
  const { client } = context;
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  if (context.format === 'table') process.stderr.write(`run ${session.id}${webLink(context, session.id)}\n`);
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true && context.format === 'table';
  const desk = new ApprovalDesk(client);
  const follower = new RunFollower(client, session, {
    signal: interrupt.signal,
    onApproval: (approval, screen, decided) => {
      if (interactive) desk.ask(approval, screen, decided);
      else if (context.format === 'table') screen.line(`decide with: sandgate approve ${approval.id} (or deny)`);
    },
    ...(context.format === 'table' ? {} : { screen: silentScreen() }),
  });
  const followed = await follower.follow();
  if (interrupt.signal.aborted && followed.exitCode === EXIT.interrupted) {
    process.stderr.write(
      `The run goes on. Watch it with: sandgate watch ${session.id}   Stop it with: sandgate cancel ${session.id}\n`,
    );
    return EXIT.interrupted;
  }
  await printOutcome(followed.session, context);
  return followed.exitCode;
}

async function printOutcome(session: Session, context: CommandContext): Promise<void> {
  const cost = await readCost(context.client, session.id);
  if (context.format !== 'table') return printDocument(context.format, { session, cost });
  const diff = await readDiff(context.client, session.id);
  const reason = session.status_reason === null ? '' : ` (${inline(session.status_reason)})`;
  write('');
  write(
    `${inline(session.status)}${reason} · $${cost.cost_usd.toFixed(4)} · ${cost.requests} model requests · ${cost.tool_calls} tool calls`,
  );
  if (diff?.content_type === 'text/x-diff')
    write(`Look at the change: sandgate diff ${session.id}   Take it over: sandgate apply ${session.id}`);
}

function collectPair(value: string, earlier: Record<string, string> = {}): Record<string, string> {
  const at = value.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('write it as name=value');
  return { ...earlier, [value.slice(0, at)]: value.slice(at + 1) };
}

function positive(value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new InvalidArgumentError('must be a number above 0');
  return number;
}

function webLink(context: CommandContext, runId: string): string {
  const { temporalWebUrl } = context.client.connection;
  return temporalWebUrl === undefined ? '' : `   ${temporalWebUrl}/namespaces/default/workflows/run-${runId}`;
}

function silentScreen(): LiveScreen {
  return new LiveScreen(
    new Writable({ write: (_chunk, _encoding, done) => done() }) as unknown as NodeJS.WriteStream,
    false,
  );
}
