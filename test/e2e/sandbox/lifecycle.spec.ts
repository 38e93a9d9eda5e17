import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxExit, SandboxHandle } from '../../../src/platform/sandbox/provider.js';
import { MODES, SandboxLab } from './support/sandbox-lab.js';

jest.setTimeout(90_000);

const SIZES = { memory_mb: 256, cpus: 1, disk_mb: 32, pids: 64 };
const SETTLE_MS = 30_000;
/** Begins the names of the runs of this process; another one on this machine may try the same. */
const LIFE = `life-${process.pid}`;
/** Sandboxes of the share that every change runs of proof 19 (docs/proofs.md). */
const MANY = Number(process.env['SANDGATE_PROOF_SANDBOXES'] ?? 12);

interface Run {
  handle: SandboxHandle;
  exit: SandboxExit;
  output: string;
}

/** Everything on the host that still names the lab: processes, mounts, loop devices, cgroups. */
function findLeftovers(lab: SandboxLab): string[] {
  const processes = execFileSync('ps', ['-eo', 'stat,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(lab.dataDir) && !line.startsWith('Z'));
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(lab.dataDir));
  const loops = readdirSync('/sys/block')
    .map((name) => join('/sys/block', name, 'loop/backing_file'))
    .filter((file) => backingOf(file).includes(lab.dataDir));
  const groups = execFileSync(
    'sh',
    ['-c', 'find /sys/fs/cgroup -type d -path "*/sandgate/$0-*" 2> /dev/null || :', LIFE],
    { encoding: 'utf8' },
  )
    .split('\n')
    .filter(Boolean);
  return [...processes, ...mounts, ...loops, ...groups];
}

/** Loop devices of others come and go meanwhile. */
function backingOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The kernel frees a loop device when the last copy of its mount is gone: any program that is just making a mount namespace
 * holds one for a moment.
 */
async function awaitNoLeftovers(lab: SandboxLab): Promise<string[]> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const left = findLeftovers(lab);
    if (left.length === 0 || Date.now() > deadline) return left;
    await sleep(50);
  }
}

describe.each(MODES)('life of a sandbox in %s mode', (mode) => {
  let lab: SandboxLab;

  beforeAll(async () => {
    lab = await SandboxLab.open(mode);
  });

  afterAll(async () => {
    const [listed] = await lab.perform([{ do: 'list' }]);
    const { remains } = listed?.value as { remains: string[] };
    await lab.perform(remains.map((runId) => ({ do: 'release' as const, runId })));
    await lab[Symbol.asyncDispose]();
  });

  const start = (runId: string, variables: Record<string, string>) => ({
    do: 'start' as const,
    runId,
    sizes: SIZES,
    variables,
  });
  const whole = (runId: string, variables: Record<string, string>, keep = false) => ({
    do: 'run' as const,
    runId,
    sizes: SIZES,
    variables,
    keep,
  });

  it('the program of a harness runs from a folder that nobody inside can change, and the self-check holds', async () => {
    const script = [
      '/opt/sandgate/harness/agent',
      'touch /opt/sandgate/harness/planted || echo refused',
      'grep -o "/opt/sandgate/harness r[ow],nosuid,nodev" /proc/self/mountinfo',
    ].join('; ');
    const [ran] = await lab.perform([
      { ...whole(`${LIFE}-program`, { MODE: 'script', SCRIPT: script }), program: true },
      { do: 'release', runId: `${LIFE}-program` },
    ]);
    const { exit, output } = ran?.value as Run;
    expect(exit.exitCode).toBe(0);
    expect(output).toMatch(/the program runs\n(?:.*\n)?refused\n\/opt\/sandgate\/harness ro,nosuid,nodev\n$/);
  });

  it('this host passes its own check, which says what is weaker', async () => {
    const [result] = await lab.perform([{ do: 'check' }]);
    expect(result?.value).toMatchObject({ ok: true, missing: [], mode });
  });

  it('CP-004 a run ends with the exit code of its runner, and its output is kept', async () => {
    const [result] = await lab.perform([
      whole(`${LIFE}-exit`, { MODE: 'script', SCRIPT: 'echo hello; id -un; echo to-error >&2', EXIT: '7' }),
    ]);
    const run = result?.value as Run;
    expect(run.exit).toMatchObject({ exitCode: 7, reason: expect.stringContaining('exit code 7') });
    expect(run.output).toBe('hello\nagent\nto-error\n');
  });

  it('keeps the last MiB of what was printed, whoever is alive to read it', async () => {
    const started = await lab.performAndDie([start(`${LIFE}-flood`, { MODE: 'flood', EXIT: '3' })]);
    const { handle } = started.value as Run;
    const [exit, output] = await lab.perform([
      { do: 'wait', handle },
      { do: 'output', runId: `${LIFE}-flood` },
    ]);
    expect(exit?.value).toMatchObject({ exitCode: 3 });
    expect(String(output?.value)).toHaveLength(1024 * 1024);
    expect(String(output?.value).endsWith('the last line\n')).toBe(true);
  });

  it('outlives the process that started it and is found again by pid and start time', async () => {
    const started = await lab.performAndDie([start(`${LIFE}-orphan`, { MODE: 'idle' })]);
    const { handle } = started.value as Run;
    const [state, list, again, end, after] = await lab.perform([
      { do: 'state', handle },
      { do: 'list' },
      start(`${LIFE}-orphan`, { MODE: 'idle' }),
      { do: 'terminate', handle },
      { do: 'state', handle },
    ]);
    expect(state?.value).toEqual({ phase: 'running' });
    expect((list?.value as { managed: { runId: string; handle: SandboxHandle }[] }).managed).toEqual([
      { runId: `${LIFE}-orphan`, handle },
    ]);
    expect((again?.value as Run).handle).toEqual(handle);
    expect(end).toEqual({ value: null });
    expect(after?.value).toEqual({ phase: 'terminated', exitCode: null, reason: 'the sandbox was ended by Sandgate' });
    const other = { ...handle, attrs: { ...handle.attrs, start_time: 1 } };
    const [reused] = await lab.perform([{ do: 'state', handle: other }]);
    expect(reused?.value).toMatchObject({ phase: 'terminated' });
  });

  it('takes what was left running in the background with it', async () => {
    const seconds = `300.${process.pid}`;
    const [result] = await lab.perform([whole(`${LIFE}-background`, { MODE: 'background', SECONDS: seconds }, true)]);
    expect((result?.value as Run).exit.exitCode).toBe(0);
    const [list] = await lab.perform([{ do: 'list' }]);
    expect((list?.value as { managed: { runId: string }[] }).managed.map((one) => one.runId)).not.toContain(
      `${LIFE}-background`,
    );
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`sleep ${seconds}`);
  });

  it('proof 18: a promise that does not hold ends the launch with the point named', async () => {
    // A runner that can be read is a process that can be looked into.
    const runtime = join(lab.dataDir, 'runtime', readdirSync(join(lab.dataDir, 'runtime'))[0] ?? '');
    execFileSync('chmod', ['0755', join(runtime, 'runner-node')]);
    try {
      const [result] = await lab.perform([start(`${LIFE}-check`, { MODE: 'idle' })]);
      expect(result?.error).toMatch(/self-check failed: hidden files: .*\/proc\/self\/(environ|mem)/);
    } finally {
      execFileSync('chmod', ['0111', join(runtime, 'runner-node')]);
    }
  });

  it('refuses a workspace that is a link', async () => {
    const elsewhere = join(lab.folder, `elsewhere-${mode}`);
    mkdirSync(elsewhere);
    const [created] = await lab.perform([whole(`${LIFE}-link`, { MODE: 'script', SCRIPT: 'true' }, true)]);
    expect(created?.error).toBeUndefined();
    const disk = join(lab.dataDir, `runs/${LIFE}-link/disk`);
    execFileSync('mv', [join(disk, 'workspace'), join(disk, 'moved')]);
    symlinkSync(elsewhere, join(disk, 'workspace'));
    const [result] = await lab.perform([start(`${LIFE}-link`, { MODE: 'idle' })]);
    expect(result?.error).toMatch(/symbolic link|not a folder|EEXIST/);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('removes hostile trees without following a link', async () => {
    const treasure = join(lab.folder, `treasure-${mode}`);
    mkdirSync(treasure);
    writeFileSync(join(treasure, 'kept'), 'still here');
    const script = `ln -s ${treasure} link; ln -s / root; mkdir -p locked/inner && : > locked/inner/file && chmod 000 locked/inner locked
mkdir "$(printf 'bad\\377name')"; mkfifo pipe; node -e 'const name = "deep-".repeat(12); for (let depth = 0; depth < 1500; depth++) { require("fs").mkdirSync(name); process.chdir(name); }' && echo deep`;
    const [result] = await lab.perform([whole(`${LIFE}-tree`, { MODE: 'script', SCRIPT: script })]);
    expect(result?.error).toBeUndefined();
    expect((result?.value as Run).output).toContain('deep');
    expect(existsSync(join(lab.dataDir, `runs/${LIFE}-tree`))).toBe(false);
    expect(readFileSync(join(treasure, 'kept'), 'utf8')).toBe('still here');
  });

  it('keeps the workspace for the diff when the sandbox is gone, and finds it again', async () => {
    const [kept, reopened] = await lab.perform([
      whole(`${LIFE}-kept`, { MODE: 'script', SCRIPT: 'echo result > made' }, true),
      { do: 'reopen', runId: `${LIFE}-kept` },
    ]);
    expect((kept?.value as Run).exit.exitCode).toBe(0);
    expect(readFileSync(join(String(reopened?.value), 'made'), 'utf8')).toBe('result\n');
    if (mode === 'root') {
      execFileSync('umount', [join(lab.dataDir, `runs/${LIFE}-kept/disk`)]);
      const [again] = await lab.perform([{ do: 'reopen', runId: `${LIFE}-kept` }]);
      expect(readFileSync(join(String(again?.value), 'made'), 'utf8')).toBe('result\n');
    }
  });

  it(
    `proof 19: after ${MANY} sandboxes nothing of them is left`,
    async () => {
      const [listed] = await lab.perform([{ do: 'list' }]);
      const earlier = (listed?.value as { remains: string[] }).remains;
      await lab.perform(earlier.map((runId) => ({ do: 'release' as const, runId })));
      const steps = Array.from({ length: MANY }, (_, index) => `${LIFE}-many-${index}`).map((runId, index) =>
        index % 3 === 0 ? start(runId, { MODE: 'idle' }) : whole(runId, { MODE: 'script', SCRIPT: 'echo x > file' }),
      );
      const results = await lab.perform(steps);
      expect(results.filter((result) => result.error !== undefined)).toEqual([]);
      expect(findLeftovers(lab)).not.toEqual([]);
      const [alive] = await lab.perform([{ do: 'list' }]);
      const { managed } = alive?.value as { managed: { runId: string }[] };
      expect(managed).toHaveLength(Math.ceil(MANY / 3));
      await lab.perform(managed.map(({ runId }) => ({ do: 'release' as const, runId })));
      await lab.perform(managed.map(({ runId }) => ({ do: 'release' as const, runId })));
      expect(await awaitNoLeftovers(lab)).toEqual([]);
      expect(readdirSync(join(lab.dataDir, 'runs'))).toEqual([]);
      if (mode === 'root') expect(readFileSync(join(lab.dataDir, 'uids.json'), 'utf8')).toBe('{}');
    },
    120_000 + MANY * 5_000,
  );
});
