import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScriptedPlane } from '../../test/support/plane/scripted-plane.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  await promisify(execFile)(process.execPath, ['build/bundle-runner.mjs', join(folder, 'runner')], {
    timeout: 100_000,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the built program as the launcher does: an empty environment and the document on descriptor 3. */
async function start(document: string | null): Promise<{ code: number | null; output: string }> {
  const file = join(folder, 'document');
  await writeFile(file, document ?? '');
  const fd = openSync(file, 'r');
  const child = spawn(process.execPath, [join(folder, 'runner/main.mjs')], {
    env: {},
    cwd: '/',
    stdio: document === null ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', fd],
  });
  closeSync(fd);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

const TOKENS = { control: 'svc_sess_control', tool: 'svc_sess_tool', llm: 'svc_sess_llm' };

describe('the built program', () => {
  it('is one entry with its parts, needs nothing beside it, and keeps what is loaded first small', async () => {
    const names = await readdir(join(folder, 'runner'), { recursive: true });
    const sources = await Promise.all(
      names.filter((name) => name.endsWith('.mjs')).map((name) => readFile(join(folder, 'runner', name), 'utf8')),
    );
    const imported = sources.flatMap((source) =>
      [...source.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g)].map((match) => match[1] ?? ''),
    );
    expect(
      imported.filter((name) => !/^(node:|\.\.?\/)/.test(name) && /^[@\w]/.test(name) && !isBuiltin(name)),
    ).toEqual([]);
    expect((await readFile(join(folder, 'runner/main.mjs'))).length).toBeLessThan(64 * 1024);
  });

  it('ends with 4 when the hand-off fails', async () => {
    expect((await start(null)).code).toBe(4);
    expect((await start('nonsense')).code).toBe(4);
  });

  it('ends with 2 when a required variable is missing, and names it', async () => {
    const { code, output } = await start(JSON.stringify({ variables: {}, tokens: TOKENS }));
    expect(code).toBe(2);
    expect(output).toContain('SERVICE_CONTROL_URL');
  });

  it('refuses to work outside a sandbox, reports the point that does not hold, and prints no token', async () => {
    const plane = await ScriptedPlane.start();
    const variables = {
      SERVICE_CONTROL_URL: 'http://plane',
      SERVICE_PLANE_SOCKET: plane.socketPath,
      SERVICE_SESSION_ID: plane.runId,
      SERVICE_HARNESS: 'replay',
      SERVICE_TASK: '[{"tool":"Bash","input":{"command":"true"}}]',
      SERVICE_MODEL: 'none',
      SERVICE_WORKSPACE: folder,
    };
    const { code, output } = await start(JSON.stringify({ variables, tokens: plane.tokens }));
    await plane.stop();
    expect(code).toBe(1);
    expect(plane.results[0]?.['outcome']).toBe('failed');
    expect(plane.results[0]?.['summary']).toContain('The sandbox does not hold what it promises');
    expect(plane.permissions).toEqual([]);
    expect(output).not.toContain('svc_sess_');
  });
});

function isBuiltin(name: string): boolean {
  return process.getBuiltinModule(name) !== undefined;
}
