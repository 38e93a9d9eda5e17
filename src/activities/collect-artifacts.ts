import { SandgateError } from '../domain/errors.js';
import { redactText } from '../domain/redaction/redact-text.js';
import { classifyLaunchProblem } from '../domain/run/launch-attempts.js';
import {
  readStoredDiff,
  storeArtifact,
  storeDiff,
  storeMissingDiff,
  type CollectedDiff,
} from '../core/artifacts/artifacts.js';
import { readLaunch } from '../core/launch/launch.js';
import type { Database } from '../core/record/database.js';
import type { RunOutput, Sandboxes, SandboxHandle, SandboxProvider } from '../platform/sandbox/provider.js';
import type { AttemptFacts } from '../platform/temporal/heartbeats.js';
import type { RunRef } from './run-activities.js';

export interface CollectionDependencies extends Pick<Sandboxes, 'provider' | 'workspaces'> {
  database: Database;
  /** Limits of one collection in milliseconds; the whole takes at most 120 s (docs/design/workspaces.md). */
  collectTimeoutMs: number;
  /** How long what has the sandboxes may be away before a run ends without it. */
  awayMs: number;
}

/** A step that keeps failing on a dead sandbox is given up after this many attempts: a run must end even if its host is broken. */
const WIND_DOWN_ATTEMPTS = 6;

/** Reasons of a diff that is not there (docs/design/runs.md). */
export const STILL_LIVE = 'runner_still_live';
const COLLECTION_FAILED = 'collection_failed';

/**
 * Whether a step of the wind-down is not worth another attempt: it failed too often, or an engine that may have the sandbox has not
 * answered for as long as a host may be away.
 */
export function isGoneForGood(cause: unknown, { attempt, ageMs }: AttemptFacts, awayMs: number): boolean {
  return attempt >= WIND_DOWN_ATTEMPTS && (!isUnavailable(cause) || ageMs >= awayMs);
}

function isUnavailable(cause: unknown): boolean {
  return cause instanceof SandgateError && cause.code === 'unavailable';
}

/** Takes the diff of a dead sandbox; a stored real diff is final. */
export async function collectArtifacts(on: CollectionDependencies, run: RunRef, at: AttemptFacts): Promise<void> {
  const launch = await on.database.withTenant(run.organizationId, async (tx) => ({
    stored: await readStoredDiff(tx, run.runId),
    baseCommit: (await readLaunch(tx, run.runId, { evenWhenStopping: true }))?.base_commit ?? null,
  }));
  if (launch.baseCommit === null) return;
  // Whoever tried to stop the sandbox has waited already.
  const wasGivenUp = launch.stored === 'missing';
  const orGone = async <T>(question: Promise<T>): Promise<T | typeof GONE> => {
    try {
      return await question;
    } catch (cause) {
      if ((wasGivenUp && isUnavailable(cause)) || isGoneForGood(cause, at, on.awayMs)) return GONE;
      throw cause;
    }
  };
  if ((await orGone(findLive(on.provider, run))) !== undefined) return recordMissingDiff(on.database, run, STILL_LIVE);
  if (launch.stored !== 'collected') await storeDiffOf(on, run, launch.baseCommit, at.attempt);
  const output = await orGone(on.provider.readOutput(run.runId));
  if (output !== GONE) await storeOutput(on.database, run, 'runner.log', output);
}

/** What has the sandboxes does not answer any more. */
const GONE = Symbol('gone');

/** The sandbox of the run, while it runs on this host. */
export async function findLive(provider: SandboxProvider, run: RunRef): Promise<SandboxHandle | undefined> {
  return (await provider.listManaged()).find(({ runId }) => runId === run.runId)?.handle;
}

export function recordMissingDiff(database: Database, run: RunRef, reason: string): Promise<void> {
  return database.withTenant(run.organizationId, (tx) => storeMissingDiff(tx, run.runId, reason));
}

async function storeDiffOf(
  on: CollectionDependencies,
  run: RunRef,
  baseCommit: string,
  attempt: number,
): Promise<void> {
  let diff: CollectedDiff;
  try {
    diff = await on.workspaces.collectDiff({ runId: run.runId, baseCommit, timeoutMs: on.collectTimeoutMs });
  } catch (cause) {
    const final = cause instanceof SandgateError && classifyLaunchProblem(cause) === 'refused';
    if (!final && attempt < WIND_DOWN_ATTEMPTS) throw cause;
    return recordMissingDiff(on.database, run, final ? cause.message : COLLECTION_FAILED);
  }
  await on.database.withTenant(run.organizationId, (tx) => storeDiff(tx, run.runId, diff));
}

type LogName = 'runner.log' | 'setup.log';

/** Keeps what the last sandbox of the run printed, redacted. */
export async function storeLog(
  on: Pick<CollectionDependencies, 'database' | 'provider'>,
  run: RunRef,
  name: LogName,
): Promise<void> {
  await storeOutput(on.database, run, name, await on.provider.readOutput(run.runId));
}

async function storeOutput(database: Database, run: RunRef, name: LogName, printed: RunOutput): Promise<void> {
  const text = redactText(withoutTornLine(printed).toString('utf8'));
  if (text === '') return;
  await database.withTenant(run.organizationId, (tx) =>
    storeArtifact(tx, run.runId, {
      kind: 'log',
      name,
      contentType: 'text/plain',
      content: Buffer.from(text),
      truncated: false,
    }),
  );
}

/** What was cut begins in the middle of a line: the end of a secret could not be told from other text there. */
function withoutTornLine({ bytes, cut }: RunOutput): Buffer {
  return bytes.subarray(cut ? bytes.indexOf('\n') + 1 : 0);
}
