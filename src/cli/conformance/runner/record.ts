import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../../domain/system-error.js';
import { fail, pass } from '../check.js';
import type { CheckInfo, Finding } from '../check.js';
import type { ScriptedPlane } from './scripted-plane.js';
import type { ContractRequest } from './contract-traffic.js';

/** How the runner's process ended; null when somebody else started it, or it had to be killed for its time. */
export type RunnerExit = { code: number | null; killed: boolean } | 'not seen';

/** The record of one scenario: what the runner asked of the runner plane, what it did to its workspace, and how it ended. */
export interface RunnerRecord {
  plane: ScriptedPlane;
  workspace: string;
  exit: RunnerExit;
  /** `performance.now()` at the start and at the end of the process. */
  startedAt: number;
  endedAt: number;
  /** What the scenario noted while the run went on. */
  notes: ReadonlyMap<string, number>;
  /** What other processes of the machine could read of the runner: its environment and its command line. */
  visible: string;
  clock: Clock;
}

/** Seconds of the contract in milliseconds; tests make them short. */
export class Clock {
  /** @param slackMs processes start and answers travel at their own pace, however short the contract's seconds are */
  constructor(
    readonly secondMs: number = 1000,
    readonly slackMs: number = 3_000,
  ) {}

  ms(seconds: number): number {
    return seconds * this.secondMs;
  }

  sleep(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.ms(seconds)));
  }
}

export interface Obligation extends CheckInfo {
  expected: string;
  judge: (record: RunnerRecord) => Finding | Promise<Finding>;
}

/** An obligation whose judge answers what is wrong, or null. */
export function obligation(
  id: string,
  section: number,
  title: string,
  expected: string,
  wrongWith: (record: RunnerRecord) => string | null | Promise<string | null>,
): Obligation {
  return {
    id,
    section,
    title,
    expected,
    judge: async (record) => {
      const wrong = await wrongWith(record);
      return wrong === null ? pass(expected) : fail(wrong);
    },
  };
}

/** The process ended by itself with one of these codes. */
export function exits(id: string, title: string, code: number): Obligation {
  const expected = `exit code ${code}`;
  return {
    id,
    section: 13,
    title,
    expected,
    judge: ({ exit }) => {
      if (exit === 'not seen')
        return { result: 'skip', seen: 'the fixture sees exit codes of runners that it starts itself' };
      if (exit.killed) return fail('it had not ended by itself in time');
      return exit.code === code ? pass(expected) : fail(`exit code ${exit.code}`);
    },
  };
}

/** Text of a file that the agent's commands left in the workspace; null when there is none. */
export async function fileOf({ workspace }: RunnerRecord, name: string): Promise<string | null> {
  try {
    return await readFile(join(workspace, name), 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Permissions asked for the agent's n-th command, whatever tool and id the runner gave it. */
export function asksFor({ plane }: { plane: ScriptedPlane }, command: number): ContractRequest[] {
  return plane.of('permission').filter(({ body }) => JSON.stringify(body['input'] ?? null).includes(`call-${command}`));
}

/**
 * Waits between the answer to each request and the arrival of the next, in milliseconds. Counted from before the answer is on its way,
 * so on a busy machine a wait may look longer than it was, and never shorter.
 */
export function gapsBetween(requests: readonly ContractRequest[]): number[] {
  return requests.slice(1).map(({ at }, index) => at - (requests[index]?.answeredAt ?? at));
}

/** What is wrong with the waits between attempts: each min(2 s × n, cap) with a tenth of grace, or longer up to the cap. */
export function wrongWaits(requests: readonly ContractRequest[], capSeconds: number, clock: Clock): string | null {
  const gaps = gapsBetween(requests);
  const tooShort = gaps.some((gap, n) => gap < 0.9 * clock.ms(Math.min(2 * (n + 1), capSeconds)));
  const tooLong = gaps.some((gap) => gap > clock.ms(capSeconds) + clock.slackMs);
  return tooShort || tooLong ? `waits of ${gaps.map((gap) => `${Math.round(gap)} ms`).join(', ')}` : null;
}
