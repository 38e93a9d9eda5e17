import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Credentials } from '../../../src/cli/server/credentials-file.js';
import { DeviceBench } from '../../support/identity/device-bench.js';
import { compiledBefore } from '../../support/installation/own-place.js';
import { until } from '../../support/time/until.js';

const PROGRAM = resolve('dist/cli/main.js');

let bench: DeviceBench;
let home: string;
beforeAll(async () => {
  bench = await DeviceBench.start({ SERVICE_TIMING_DEVICE_POLL_MS: '1000' });
  home = mkdtempSync(join(tmpdir(), 'sg-login-process-'));
});
afterAll(async () => {
  rmSync(home, { recursive: true });
  await bench?.close();
});

/** The command as a process of its own, of a person whose home is empty. */
function sandgate(...argv: string[]): { said: () => string; outcome: Promise<{ code: number; stdout: string }> } {
  const env = { PATH: process.env['PATH'], HOME: home, ...compiledBefore() };
  const child = spawn(process.execPath, [PROGRAM, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const ended = new Promise<number>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done(code ?? -1));
  });
  const outcome = Promise.all([ended, text(child.stdout)]).then(([code, stdout]) => ({ code, stdout }));
  return { said: () => said, outcome };
}

it('CP-266 CP-275 a terminal without a browser signs in, uses its token in other processes, and signs out', async () => {
  const waiting = sandgate('login', '--url', bench.api.url, '--context', 'server', '-o', 'json');
  const code = /type the code {2}(\S+)/;
  await until(waiting.said, (said) => code.test(said));
  const person = await bench.person();
  expect((await person.answer(code.exec(waiting.said())?.[1] ?? '', 'approve')).status).toBe(200);
  const login = await waiting.outcome;
  expect([login.code, JSON.parse(login.stdout)]).toEqual([
    0,
    expect.objectContaining({ context: 'server', server: bench.api.url, user_id: person.who.userId }),
  ]);

  const me = await sandgate('whoami', '-o', 'json').outcome;
  expect(JSON.parse(me.stdout)).toMatchObject({ user_id: person.who.userId, auth_kind: 'pat' });
  expect((await sandgate('agents').outcome).stdout).toContain('fixer');

  const path = join(home, '.config', 'sandgate', 'credentials.json');
  const { token } = (JSON.parse(readFileSync(path, 'utf8')) as Credentials).contexts['server']!;
  expect((await sandgate('logout').outcome).code).toBe(0);
  expect((await bench.api.get('/v1/auth/me', { token })).status).toBe(401);
  expect((await sandgate('whoami').outcome).code).toBe(6);
}, 60_000);
