import { setTimeout as delay } from 'node:timers/promises';
import type { CliContext } from '../context/cli-context.js';
import { CliError, EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { runPath, type Run } from './run-reference.js';

const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'partial', 'failed', 'cancelled']);
/** A short run is over before `runs.poll_interval` is. */
const FIRST_PAUSE_MS = 200;

/**
 * Waits until a run has ended, and says meanwhile how far it is. Pauses between two looks grow up to `runs.poll_interval`.
 *
 * @throws CliError `timeout` after `runs.timeout` seconds; the run goes on
 */
export async function awaitRun(context: CliContext, id: string): Promise<Run> {
  const { 'runs.poll_interval': pollSecs, 'runs.timeout': mostSecs } = context.settings;
  const until = Date.now() + mostSecs * 1_000;
  let said = '';
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    const run = await context.api.object<Run>(runPath(id));
    const { status, progress } = run;
    const now = `run ${id}: ${status}, ${progress.itemsDone} of ${progress.itemsTotal} done`;
    if (now !== said) context.note(now);
    said = now;
    if (ENDED.has(status)) return run;
    if (Date.now() >= until) {
      throw new CliError(
        `run ${id} is still ${status}, and goes on; docsvc runs wait ${id} waits for it`,
        EXIT.timeout,
      );
    }
    await delay(Math.min(pauseMs, pollSecs * 1_000, Math.max(0, until - Date.now())));
  }
}

/** What the end of a run is to a script. */
export function exitOfRun({ status }: Pick<Run, 'status'>): ExitCode {
  switch (status) {
    case 'failed':
    case 'cancelled':
      return EXIT.failed;
    case 'partial':
      return EXIT.partial;
    default:
      return EXIT.ok;
  }
}
