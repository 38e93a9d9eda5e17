import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { PlainHost } from '../../support/sandbox/plain-host.js';
import { ScriptedPlane } from '../../support/plane/scripted-plane.js';
import { itKeepsTheContract, releaseAll } from './support/lifecycle-contract.js';
import { SandboxLab } from './support/sandbox-lab.js';

jest.setTimeout(90_000);

const SIZES = { memory_mb: 256, cpus: 1, disk_mb: 32, pids: 64 };

describe('life of a sandbox at a second provider, which isolates nothing', () => {
  let lab: SandboxLab;

  beforeAll(async () => {
    lab = await SandboxLab.open('plain');
  });

  afterAll(async () => {
    await releaseAll(lab);
    await lab[Symbol.asyncDispose]();
  });

  itKeepsTheContract(() => lab, userInfo().username);
});

describe('the runner at a second provider', () => {
  let folder: string;
  let plane: ScriptedPlane;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sg-plain-'));
    plane = await ScriptedPlane.start();
    const program = resolve('test/support/sandbox/plain-runner.ts');
    const options = ['--bundle', '--platform=node', '--format=esm', '--target=node24', '--external:jose'];
    const argv = [resolve('node_modules/esbuild/bin/esbuild'), program, ...options, '--log-level=error'];
    await promisify(execFile)(process.execPath, [...argv, `--outfile=${join(folder, 'runner.mjs')}`]);
  });

  afterAll(async () => {
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('finds workspace and plane where the provider says that they are, and reports its result', async () => {
    const host = new PlainHost({
      dataDir: folder,
      runner: [process.execPath, join(folder, 'runner.mjs')],
      planeOf: () => plane.directory,
    });
    await host.reserve('scripted');
    const handle = await host.provision({
      runId: 'scripted',
      harness: 'replay',
      sizes: SIZES,
      variables: {
        SERVICE_CONTROL_URL: 'http://plane',
        SERVICE_PLANE_SOCKET: '/run/sandgate/plane.sock',
        SERVICE_SESSION_ID: plane.runId,
        SERVICE_HARNESS: 'replay',
        SERVICE_MODEL: 'none',
        SERVICE_WORKSPACE: '/workspace',
        SERVICE_TASK: JSON.stringify([{ tool: 'Write', input: { file_path: 'a.txt', content: 'one' } }]),
      },
      tokens: plane.tokens,
    });
    expect(await host.waitForExit(handle, AbortSignal.timeout(60_000))).toEqual({
      exitCode: 0,
      reason: 'the runner ended',
    });
    expect(plane.permissions.map((call) => call.tool)).toEqual(['Write']);
    expect(plane.results).toMatchObject([{ outcome: 'completed' }]);
    expect(readFileSync(join(host.workspaceFolder('scripted'), 'a.txt'), 'utf8')).toBe('one');
    await host.release('scripted');
    expect(await host.listRemains()).toEqual([]);
  });
});
