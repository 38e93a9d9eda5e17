import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { compiledBefore } from '../../support/installation/own-place.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { runHere, SecondMachine, type Outcome } from '../../support/installation/second-machine.js';
import { StartedSandgate, temporaryStateFolder } from '../../support/installation/started-sandgate.js';

jest.setTimeout(240_000);

const PROGRAM = resolve('dist/cli/main.js');
const folder = temporaryStateFolder();
const dataDir = join(folder, 'state');
const home = join(folder, 'home-of-the-other');
const repository = join(home, 'project');
const WRITE = JSON.stringify([{ tool: 'Write', input: { file_path: '/workspace/note.txt', content: 'after\n' } }]);

/** Only root may connect machines; without it the same commands run on this one. */
const machine = process.getuid?.() === 0 ? SecondMachine.connect() : null;
let sandgate: StartedSandgate;

/** The command on the other machine, which knows the server by its address and a token alone. */
function there(...argv: string[]): Promise<Outcome> {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    SANDGATE_URL: sandgate.url,
    SANDGATE_TOKEN: sandgate.token,
    ...compiledBefore(),
  };
  const command = [process.execPath, PROGRAM, ...argv];
  return machine === null ? runHere(command, { cwd: repository, env }) : machine.run(command, { cwd: repository, env });
}

function git(...argv: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid'];
  return execFileSync('git', [...identity, ...argv], { cwd: repository })
    .toString()
    .trim();
}

beforeAll(async () => {
  mkdirSync(repository, { recursive: true });
  writeFileSync(join(repository, 'note.txt'), 'before\n');
  writeFileSync(join(repository, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(repository, '.gitignore'), '*.log\n');
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'start');
  writeFileSync(join(repository, 'unfinished.txt'), 'not committed\n');
  writeFileSync(join(repository, 'noise.log'), 'ignored\n');
  writeFileSync(join(repository, '.env'), 'SECRET=1\n');
  const [port] = await freePorts(1);
  const bind = `${machine?.address ?? '127.0.0.1'}:${port}`;
  sandgate = await StartedSandgate.start(dataDir, { SERVICE_BIND: bind, SERVICE_LOCAL_COPY_ROOTS: 'none' });
  const agent = join(folder, 'agent.yaml');
  writeFileSync(agent, 'name: replayer\nharness: replay\npolicy: default\n');
  expect((await there('agents', 'create', agent)).code).toBe(0);
});

afterAll(async () => {
  await sandgate.stop();
  machine?.disconnect();
  execFileSync(process.execPath, [PROGRAM, '--data-dir', dataDir, 'clean', '--yes'], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
});

describe('a run from a second machine', () => {
  const applies = expect.stringContaining('It applies.');

  /** What the record says of the newest run's workspace. */
  const initialized = async (): Promise<unknown> => {
    const { sessions } = (await (await sandgate.request('/v1/sessions?limit=1')).json()) as {
      sessions: { id: string }[];
    };
    const answer = await sandgate.request(`/v1/sessions/${sessions[0]?.id}/events`);
    const { events } = (await answer.json()) as { events: { type: string; payload: { data: unknown } }[] };
    return events.find(({ type }) => type === 'workspace.initialized')?.payload.data;
  };

  it('works on the files that were sent, and its change is taken over there', async () => {
    const run = await there('run', '-a', 'replayer', '-w', '.', '--upload', WRITE);
    expect([run.code, run.stderr]).toEqual([0, expect.stringMatching(/sending 4 files in 0\.0 MiB; 1 file left out/)]);
    expect(await initialized()).toMatchObject({ files: 4, left_out: 1 });
    expect(readFileSync(join(repository, 'note.txt'), 'utf8')).toBe('before\n');
    expect((await there('diff', 'last')).stdout).toContain('+after');

    expect(await there('apply', 'last', '--check')).toMatchObject({ stderr: '', stdout: applies });
    writeFileSync(join(repository, 'note.txt'), 'changed meanwhile\n');
    const changed = await there('apply', 'last');
    expect([changed.code, changed.stderr]).toEqual([5, expect.stringContaining('note.txt')]);
    writeFileSync(join(repository, 'note.txt'), 'before\n');
    git('commit', '--quiet', '--allow-empty', '-m', 'goes on');
    const moved = await there('apply', 'last');
    expect([moved.code, moved.stderr]).toEqual([5, expect.stringContaining('the run started from')]);
    git('reset', '--quiet', '--hard', 'HEAD~1');
    expect((await there('apply', 'last')).code).toBe(0);
    expect(readFileSync(join(repository, 'note.txt'), 'utf8')).toBe('after\n');
    git('reset', '--quiet', '--hard');
  });

  it('is repeated with the folder named again, and not without', async () => {
    const without = await there('run', '--again', 'last');
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('say where they are with --workspace')]);
    expect((await there('run', '--again', 'last', '-w', '.', '--upload')).code).toBe(0);
  });

  it('needs no word about it, because the server is not this machine', async () => {
    if (machine === null) return;
    const run = await there('run', '-a', 'replayer', '-w', '.', WRITE);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('sending 4 files')]);
    expect(await there('apply', 'last', '--check')).toMatchObject({ stderr: '', stdout: applies });
  });
});
