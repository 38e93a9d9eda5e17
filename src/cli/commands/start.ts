import { once } from 'node:events';
import type { Command } from 'commander';
import { Option } from 'commander';
import { addressLines } from '../../embedded/announce.js';
import type { StopMode } from '../../embedded/stop-modes.js';
import { EXIT } from '../terminal/exit-codes.js';
import { flagsOf } from './program-context.js';
import { block } from '../terminal/escape.js';
import { write } from '../terminal/output.js';
import { LogTail } from './log-tail.js';

interface StartFlags {
  readonly drain?: boolean;
  readonly kill?: boolean;
  readonly logs?: boolean;
  readonly with?: 'documents';
}

export function registerStartCommand(program: Command): void {
  program
    .command('start')
    .description('Run Sandgate on this machine: PostgreSQL, Temporal, API and worker, until Ctrl+C.')
    .addOption(new Option('--drain', 'when stopped, wait for live runs first').conflicts('kill'))
    .addOption(new Option('--kill', 'when stopped, cancel live runs first'))
    .option('--logs', 'print the logs of API and worker')
    .addOption(
      new Option('--with <product>', 'start another product beside it, on the same PostgreSQL and Temporal').choices([
        'documents',
      ]),
    )
    .action((flags: StartFlags, command: Command) => start(flags, environmentFor(command)));
}

/** `--data-dir` stands for SERVICE_DATA_DIR. */
export function environmentFor(command: Command): NodeJS.ProcessEnv {
  const { dataDir } = flagsOf(command);
  return dataDir === undefined ? process.env : { ...process.env, SERVICE_DATA_DIR: dataDir };
}

async function start(flags: StartFlags, env: NodeJS.ProcessEnv): Promise<void> {
  const stop = new StopSignals();
  const begun = Date.now();
  const notify = (line: string) => void process.stderr.write(`${block(line)}\n`);
  const { Installation } = await import('../../embedded/installation.js');
  const installation = await Installation.start({
    env,
    notify,
    signal: stop.first,
    with: flags.with === undefined ? [] : [flags.with],
  });
  write(`Sandgate runs (started in ${((Date.now() - begun) / 1000).toFixed(1)} s). Stop it with Ctrl+C.`);
  for (const line of addressLines(installation)) write(line);
  const logged = ['api', 'worker', ...(installation.documents === null ? [] : ['docsvc-api', 'docsvc-worker'])];
  const tail = flags.logs === true ? new LogTail(installation.folder.logs, logged) : undefined;
  if (!stop.first.aborted) await once(stop.first, 'abort');
  tail?.stop();
  const mode: StopMode = flags.drain === true ? 'drain' : flags.kill === true ? 'kill' : 'leave';
  await installation.stop(mode, stop.second);
  // Nothing that is still open is needed.
  process.exit(EXIT.ok);
}

/** A stop that reaches several processes of one chain (npm, the bootstrap, this one) is passed on by each: it comes more than once. */
const ONE_STOP_MS = 1000;

/** The first signal begins the stop, a later one ends waiting for runs. */
class StopSignals {
  private readonly begin = new AbortController();
  private readonly hurry = new AbortController();
  private begunAt = 0;
  readonly first = this.begin.signal;
  readonly second = this.hurry.signal;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.take());
  }

  private take(): void {
    if (!this.first.aborted) {
      this.begunAt = performance.now();
      this.begin.abort();
    } else if (performance.now() - this.begunAt >= ONE_STOP_MS) this.hurry.abort();
  }
}
