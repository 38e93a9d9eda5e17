import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isAlive } from '../../host/process-identity.js';
import { LaunchFolder } from './launch-folder.js';
import { readState } from './supervise.js';
import { untilReady } from './until-ready.js';

describe('a sandbox that was launched', () => {
  let dataDir: string;
  let folder: LaunchFolder;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sg-ready-'));
    folder = new LaunchFolder(dataDir, '018f3c1e-0000-7000-8000-00000000abcd');
    await folder.create();
    await writeFile(folder.status, '');
    await writeFile(folder.ready, '');
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const status = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

  async function pidOfEnded(): Promise<number> {
    const child = spawn('/bin/true');
    await once(child, 'exit');
    return child.pid ?? 0;
  }

  it('is ready once its self-check has passed, and its first process is noted', async () => {
    await writeFile(folder.status, status({ 'child-pid': process.pid }));
    await writeFile(folder.ready, 'passed\n');
    const identity = await untilReady(folder, () => false);
    expect(identity.pid).toBe(process.pid);
    expect(isAlive(identity)).toBe(true);
    expect(await folder.readProcess()).toEqual(identity);
  });

  it('was ready, too, when it has ended before anybody looked', async () => {
    await writeFile(folder.status, status({ 'child-pid': await pidOfEnded() }, { 'exit-code': 0 }));
    await writeFile(folder.ready, 'passed\n');
    const identity = await untilReady(folder, () => true);
    expect(isAlive(identity)).toBe(false);
    expect(await folder.readProcess()).toEqual(identity);
    expect(await readState(folder, identity)).toMatchObject({ phase: 'terminated' });
  });

  it.each([
    ['failed seccomp\n', "the sandbox's self-check failed: seccomp"],
    ['', 'the sandbox ended with exit code 3 before it was ready'],
  ])('is not when its self-check says %j', async (ready, message) => {
    await writeFile(folder.status, status({ 'child-pid': await pidOfEnded() }, { 'exit-code': 3 }));
    await writeFile(folder.ready, ready);
    await expect(untilReady(folder, () => true)).rejects.toMatchObject({ code: 'sandbox_failed', message });
  });
});
