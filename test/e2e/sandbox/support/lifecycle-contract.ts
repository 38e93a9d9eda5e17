import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxExit, SandboxHandle } from '../../../../src/platform/sandbox/provider.js';
import { awaitNoLeftovers, findLeftovers } from '../../../support/sandbox/leftovers.js';
import { answerOf, type SandboxLab } from './sandbox-lab.js';

const SIZES = { memory_mb: 256, cpus: 1, disk_mb: 32, pids: 64 };
/** Begins the names of the runs of this process; another one on this machine may try the same. */
export const LIFE = `life-${process.pid}`;
/** Sandboxes of the share that every change runs of proof 19 (docs/proofs.md). */
const MANY = Number(process.env['SANDGATE_PROOF_SANDBOXES'] ?? 12);

/** What {@link wholeRun} answers. */
export interface Run {
  handle: SandboxHandle;
  exit: SandboxExit;
  output: string;
}

/** The step that starts the runner of a run. */
export function startedRun(runId: string, variables: Record<string, string>) {
  return { do: 'start' as const, runId, sizes: SIZES, variables };
}

/** The step that sees a run through to its end. @param keep leaves everything of it where it is */
export function wholeRun(runId: string, variables: Record<string, string>, keep = false) {
  return { do: 'run' as const, runId, sizes: SIZES, variables, keep };
}

/** Removes whatever the provider of a lab still has. */
export async function releaseAll(lab: SandboxLab): Promise<void> {
  const [listed] = await lab.perform([{ do: 'list' }]);
  const { remains } = answerOf<{ remains: string[] }>(listed);
  await lab.perform(remains.map((runId) => ({ do: 'release' as const, runId })));
}

/**
 * What every provider keeps of `SandboxProvider`: the life of a sandbox, whichever process asks, and nothing of it afterwards.
 * @param user what the runner is called where it runs
 */
export function itKeepsTheContract(lab: () => SandboxLab, user: string): void {
  it('this host passes its own check, which says what is weaker', async () => {
    const { mode } = lab();
    const [result] = await lab().perform([{ do: 'check' }]);
    expect(result?.value).toMatchObject({ ok: true, missing: [], mode });
  });

  it('CP-004 a run ends with the exit code of its runner, and its output is kept', async () => {
    const [result] = await lab().perform([
      wholeRun(`${LIFE}-exit`, { MODE: 'script', SCRIPT: 'echo hello; id -un; echo to-error >&2', EXIT: '7' }),
    ]);
    const run = answerOf<Run>(result);
    expect(run.exit).toMatchObject({ exitCode: 7, reason: expect.stringContaining('exit code 7') });
    expect(run.output).toBe(`hello\n${user}\nto-error\n`);
  });

  it('keeps the last MiB of what was printed, whoever is alive to read it', async () => {
    const started = await lab().performAndDie([startedRun(`${LIFE}-flood`, { MODE: 'flood', EXIT: '3' })]);
    const { handle } = answerOf<Run>(started);
    const [exit, output] = await lab().perform([
      { do: 'wait', handle },
      { do: 'output', runId: `${LIFE}-flood` },
    ]);
    expect(exit?.value).toMatchObject({ exitCode: 3 });
    expect(String(output?.value)).toHaveLength(1024 * 1024);
    expect(String(output?.value).endsWith('the last line\n')).toBe(true);
  });

  it('outlives the process that started it and is found again by pid and start time', async () => {
    const started = await lab().performAndDie([startedRun(`${LIFE}-orphan`, { MODE: 'idle' })]);
    const { handle } = answerOf<Run>(started);
    const [state, list, again, end, after] = await lab().perform([
      { do: 'state', handle },
      { do: 'list' },
      startedRun(`${LIFE}-orphan`, { MODE: 'idle' }),
      { do: 'terminate', handle },
      { do: 'state', handle },
    ]);
    expect(state?.value).toEqual({ phase: 'running' });
    expect(answerOf<{ managed: { runId: string; handle: SandboxHandle }[] }>(list).managed).toEqual([
      { runId: `${LIFE}-orphan`, handle },
    ]);
    expect(answerOf<Run>(again).handle).toEqual(handle);
    expect(end).toEqual({ value: null });
    expect(after?.value).toEqual({ phase: 'terminated', exitCode: null, reason: 'the sandbox was ended by Sandgate' });
    const other = { ...handle, attrs: { ...handle.attrs, start_time: 1 } };
    const [reused] = await lab().perform([{ do: 'state', handle: other }]);
    expect(reused?.value).toMatchObject({ phase: 'terminated' });
  });

  it('takes what was left running in the background with it', async () => {
    const seconds = `300.${process.pid}`;
    const [result] = await lab().perform([
      wholeRun(`${LIFE}-background`, { MODE: 'background', SECONDS: seconds }, true),
    ]);
    expect(answerOf<Run>(result).exit.exitCode).toBe(0);
    const [list] = await lab().perform([{ do: 'list' }]);
    expect(answerOf<{ managed: { runId: string }[] }>(list).managed.map((one) => one.runId)).not.toContain(
      `${LIFE}-background`,
    );
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`sleep ${seconds}`);
  });

  it('keeps the workspace when the sandbox is gone, until the run is released', async () => {
    const [kept, reopened, , gone] = await lab().perform([
      wholeRun(`${LIFE}-stays`, { MODE: 'script', SCRIPT: 'echo result > made; cat made' }, true),
      { do: 'reopen', runId: `${LIFE}-stays` },
      { do: 'release', runId: `${LIFE}-stays` },
      { do: 'reopen', runId: `${LIFE}-stays` },
    ]);
    expect(answerOf<Run>(kept).output).toBe('result\n');
    expect(reopened?.value).toEqual(expect.stringContaining(lab().dataDir));
    expect(gone).toEqual({ value: null });
  });

  it(
    `proof 19: after ${MANY} sandboxes nothing of them is left`,
    async () => {
      const [listed] = await lab().perform([{ do: 'list' }]);
      const earlier = answerOf<{ remains: string[] }>(listed).remains;
      await lab().perform(earlier.map((runId) => ({ do: 'release' as const, runId })));
      const steps = Array.from({ length: MANY }, (_, index) => `${LIFE}-many-${index}`).map((runId, index) =>
        index % 3 === 0
          ? startedRun(runId, { MODE: 'idle' })
          : wholeRun(runId, { MODE: 'script', SCRIPT: 'echo x > file' }),
      );
      const results = await lab().perform(steps);
      expect(results.filter((result) => result.error !== undefined)).toEqual([]);
      const place = { folder: lab().dataDir, isRun: (name: string) => name.startsWith(`${LIFE}-`) };
      expect(findLeftovers(place)).not.toEqual([]);
      const [alive] = await lab().perform([{ do: 'list' }]);
      const { managed } = answerOf<{ managed: { runId: string }[] }>(alive);
      expect(managed).toHaveLength(Math.ceil(MANY / 3));
      await lab().perform(managed.map(({ runId }) => ({ do: 'release' as const, runId })));
      await lab().perform(managed.map(({ runId }) => ({ do: 'release' as const, runId })));
      expect(await awaitNoLeftovers(place)).toEqual([]);
      expect(readdirSync(join(lab().dataDir, 'runs'))).toEqual([]);
      if (['root', 'docker'].includes(lab().mode))
        expect(readFileSync(join(lab().dataDir, 'uids.json'), 'utf8')).toBe('{}');
    },
    120_000 + MANY * 5_000,
  );
}

/** What the providers keep whose runs may have two sandboxes: one for the setup, and then one for the agent. */
export function itPreparesApart(lab: () => SandboxLab): void {
  it('the second sandbox of a run begins when the first is dead, and finds what it left in workspace and home', async () => {
    const runId = `${LIFE}-twice`;
    const leave = 'echo kept > ~/.rc; echo made > made; echo gone > /tmp/gone';
    const find =
      'cat ~/.rc made; ls -A /tmp; echo more >> ~/.rc; grep -c " /home/agent rw,nosuid,nodev" /proc/self/mountinfo';
    const [first, second] = await lab().perform([
      wholeRun(runId, { MODE: 'script', SCRIPT: leave, PHASE: 'setup', EXIT: '6' }, true),
      wholeRun(runId, { MODE: 'script', SCRIPT: find, PHASE: 'agent' }),
    ]);
    expect(answerOf<Run>(first).exit.exitCode).toBe(6);
    expect(second?.value).toMatchObject({ exit: { exitCode: 0 }, output: 'kept\nmade\n1\n' });
    const started = await lab().performAndDie([startedRun(runId, { MODE: 'idle', PHASE: 'setup' })]);
    const [refused, , after] = await lab().perform([
      startedRun(runId, { MODE: 'idle', PHASE: 'agent' }),
      { do: 'terminate', handle: answerOf<Run>(started).handle },
      startedRun(runId, { MODE: 'idle', PHASE: 'agent' }),
    ]);
    expect(refused?.error).toBe('another sandbox of the run is still alive');
    expect(after?.error).toBeUndefined();
  });
}
