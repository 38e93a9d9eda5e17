import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  itKeepsTheContract,
  itPreparesApart,
  LIFE,
  releaseAll,
  startedRun,
  wholeRun,
  type Run,
} from './support/lifecycle-contract.js';
import { answerOf, MODES, SandboxLab } from './support/sandbox-lab.js';

jest.setTimeout(90_000);

describe.each(MODES)('life of a sandbox in %s mode', (mode) => {
  let lab: SandboxLab;

  beforeAll(async () => {
    lab = await SandboxLab.open(mode);
  });

  afterAll(async () => {
    await releaseAll(lab);
    await lab[Symbol.asyncDispose]();
  });

  it('the program of a harness runs from a folder that nobody inside can change, and the self-check holds', async () => {
    const script = [
      '/opt/sandgate/harness/agent',
      'touch /opt/sandgate/harness/planted || echo refused',
      'grep -o "/opt/sandgate/harness r[ow],nosuid,nodev" /proc/self/mountinfo',
    ].join('; ');
    const [ran] = await lab.perform([
      { ...wholeRun(`${LIFE}-program`, { MODE: 'script', SCRIPT: script }), program: true },
      { do: 'release', runId: `${LIFE}-program` },
    ]);
    const { exit, output } = answerOf<Run>(ran);
    expect(exit.exitCode).toBe(0);
    expect(output).toMatch(/the program runs\n(?:.*\n)?refused\n\/opt\/sandgate\/harness ro,nosuid,nodev\n$/);
  });

  it('proof 18: a promise that does not hold ends the launch with the point named', async () => {
    // A runner that can be read is a process that can be looked into.
    const runtime = join(lab.dataDir, 'runtime', readdirSync(join(lab.dataDir, 'runtime'))[0] ?? '');
    execFileSync('chmod', ['0755', join(runtime, 'runner-node')]);
    try {
      const [result] = await lab.perform([startedRun(`${LIFE}-check`, { MODE: 'idle' })]);
      expect(result?.error).toMatch(/self-check failed: hidden files: .*\/proc\/self\/(environ|mem)/);
    } finally {
      execFileSync('chmod', ['0111', join(runtime, 'runner-node')]);
    }
  });

  it('refuses a workspace that is a link', async () => {
    const elsewhere = join(lab.folder, `elsewhere-${mode}`);
    mkdirSync(elsewhere);
    const [created] = await lab.perform([wholeRun(`${LIFE}-link`, { MODE: 'script', SCRIPT: 'true' }, true)]);
    expect(created?.error).toBeUndefined();
    const disk = join(lab.dataDir, `runs/${LIFE}-link/disk`);
    execFileSync('mv', [join(disk, 'workspace'), join(disk, 'moved')]);
    symlinkSync(elsewhere, join(disk, 'workspace'));
    const [result] = await lab.perform([startedRun(`${LIFE}-link`, { MODE: 'idle' })]);
    expect(result?.error).toMatch(/symbolic link|not a folder|EEXIST/);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('removes hostile trees without following a link', async () => {
    const treasure = join(lab.folder, `treasure-${mode}`);
    mkdirSync(treasure);
    writeFileSync(join(treasure, 'kept'), 'still here');
    const script = `ln -s ${treasure} link; ln -s / root; mkdir -p locked/inner && : > locked/inner/file && chmod 000 locked/inner locked
mkdir "$(printf 'bad\\377name')"; mkfifo pipe; node -e 'const name = "deep-".repeat(12); for (let depth = 0; depth < 1500; depth++) { require("fs").mkdirSync(name); process.chdir(name); }' && echo deep`;
    const [result] = await lab.perform([wholeRun(`${LIFE}-tree`, { MODE: 'script', SCRIPT: script })]);
    expect(result?.error).toBeUndefined();
    expect(answerOf<Run>(result).output).toContain('deep');
    expect(existsSync(join(lab.dataDir, `runs/${LIFE}-tree`))).toBe(false);
    expect(readFileSync(join(treasure, 'kept'), 'utf8')).toBe('still here');
  });

  it('keeps the workspace for the diff when the sandbox is gone, and finds it again', async () => {
    const [kept, reopened] = await lab.perform([
      wholeRun(`${LIFE}-kept`, { MODE: 'script', SCRIPT: 'echo result > made' }, true),
      { do: 'reopen', runId: `${LIFE}-kept` },
    ]);
    expect(answerOf<Run>(kept).exit.exitCode).toBe(0);
    expect(readFileSync(join(String(reopened?.value), 'made'), 'utf8')).toBe('result\n');
    if (mode === 'root') {
      execFileSync('umount', [join(lab.dataDir, `runs/${LIFE}-kept/disk`)]);
      const [again] = await lab.perform([{ do: 'reopen', runId: `${LIFE}-kept` }]);
      expect(readFileSync(join(String(again?.value), 'made'), 'utf8')).toBe('result\n');
    }
  });

  itKeepsTheContract(() => lab, 'agent');
  itPreparesApart(() => lab);
});
