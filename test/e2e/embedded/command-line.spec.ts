import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'yaml';
import type { Schemas } from '../../../src/client/client.js';
import { compiledBefore } from '../../support/installation/own-place.js';
import { StartedSandgate, temporaryStateFolder, until } from '../../support/installation/started-sandgate.js';

jest.setTimeout(240_000);

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const PROGRAM = resolve('dist/cli/main.js');
const folder = temporaryStateFolder();
const dataDir = join(folder, 'state');
const repository = join(folder, 'repo');
let sandgate: StartedSandgate;

/** The command as a script calls it: no terminal, nothing but the state folder to find the server by. */
function cli(...argv: string[]): Promise<Outcome> {
  const env = { PATH: process.env['PATH'], HOME: folder, SERVICE_DATA_DIR: dataDir, ...compiledBefore() };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [PROGRAM, ...argv],
      { env, cwd: repository, timeout: 120_000 },
      (error, stdout, stderr) => done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

function git(...argv: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...argv], {
    cwd: repository,
    stdio: 'ignore',
  });
}

const WRITE = JSON.stringify([{ tool: 'Write', input: { file_path: '/workspace/note.txt', content: 'after\n' } }]);
const DEPLOY = JSON.stringify([{ tool: 'Bash', input: { command: './deploy.sh' } }]);

beforeAll(async () => {
  mkdirSync(repository);
  writeFileSync(join(repository, 'note.txt'), 'before\n');
  writeFileSync(join(repository, 'deploy.sh'), '#!/bin/sh\necho deployed\n', { mode: 0o755 });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'start');
  sandgate = await StartedSandgate.start(dataDir, { SERVICE_LOCAL_COPY_ROOTS: repository });
  const agent = join(folder, 'agent.yaml');
  writeFileSync(agent, 'name: replayer\nharness: replay\npolicy: default\n');
  expect((await cli('agents', 'create', agent)).code).toBe(0);
});

afterAll(async () => {
  await sandgate.stop();
  execFileSync(process.execPath, [PROGRAM, '--data-dir', dataDir, 'clean', '--yes'], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
});

describe('the command line', () => {
  it('runs on a copy of a folder, shows the change, and takes it over only where it fits', async () => {
    const run = await cli('run', '-a', 'replayer', '-w', '.', WRITE);
    expect(run.code).toBe(0);
    // eslint-disable-next-line no-control-regex -- no colours without a terminal
    expect(run.stdout).not.toMatch(/\u001b/);
    expect(readFileSync(join(repository, 'note.txt'), 'utf8')).toBe('before\n');
    expect((await cli('diff', 'last')).stdout).toContain('+after');

    writeFileSync(join(repository, 'note.txt'), 'changed meanwhile\n');
    const refused = await cli('apply', 'last');
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('note.txt');
    writeFileSync(join(repository, 'note.txt'), 'before\n');

    expect((await cli('apply', 'last', '--check')).stdout).toContain('It applies.');
    expect((await cli('apply', 'last')).code).toBe(0);
    expect(readFileSync(join(repository, 'note.txt'), 'utf8')).toBe('after\n');
  });

  it.each([['version'], ['--version'], ['-V']])('says its version when asked by %s', async (word) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await cli(word)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('repeats a run with the same task, workspace and agent', async () => {
    expect((await cli('run', '--again', 'last')).code).toBe(0);
    const runs = parse((await cli('runs', '-n', '2', '-o', 'yaml')).stdout) as {
      agent_id: string;
      task: string;
      run_spec: { workspace: unknown };
    }[];
    expect(runs[0]?.task).toBe(runs[1]?.task);
    expect(runs[0]?.agent_id).toBe(runs[1]?.agent_id);
    expect(runs[0]?.run_spec.workspace).toEqual(runs[1]?.run_spec.workspace);
  });

  it('decides an approval once and says when it was settled before', async () => {
    const id = (await cli('run', '-a', 'replayer', '-w', '.', '--detach', DEPLOY)).stdout.trim();
    let waiting: { id: string; session_id: string }[] = [];
    await until(
      async () => (waiting = JSON.parse((await cli('approvals', '-o', 'json')).stdout) as typeof waiting).length > 0,
      60_000,
      'an approval waits',
    );
    expect(waiting[0]?.session_id).toBe(id);
    expect((await cli('deny', waiting[0]?.id ?? '')).code).toBe(0);
    const late = await cli('approve', waiting[0]?.id ?? '');
    expect(late.code).toBe(5);
    expect(late.stderr).toContain('settled before: denied');
    expect((await cli('watch', id)).stdout).toContain('denied');
  });

  it('ends a watched run that is cancelled with the code of a cancelled run', async () => {
    const id = (await cli('run', '-a', 'replayer', '-w', '.', '--detach', DEPLOY)).stdout.trim();
    const watched = cli('watch', id);
    await until(async () => (await cli('approvals')).stdout.includes(id.slice(-12)), 60_000, 'the run waits');
    expect((await cli('cancel', id)).code).toBe(0);
    expect((await watched).code).toBe(11);
  });

  it('exports a ledger that verifies without the server, and not when a byte of it changed', async () => {
    const ledger = join(folder, 'ledger.jsonl');
    const key = join(folder, 'key.pem');
    expect((await cli('audit', 'export', 'last', '--to', ledger)).code).toBe(0);
    writeFileSync(key, (await cli('audit', 'key')).stdout);
    const verified = await cli('audit', 'verify', ledger, '--key', key);
    expect(verified.stdout).toContain('complete, in order, unedited');
    writeFileSync(ledger, readFileSync(ledger, 'utf8').replace('session.created', 'session.creatad'));
    expect((await cli('audit', 'verify', ledger, '--key', key)).code).toBe(5);
  });

  it('tries a draft against the calls of past runs, and fails on the changes that it was told to', async () => {
    const draft = join(folder, 'draft.yaml');
    writeFileSync(
      draft,
      'name: no-writes\ntools:\n  - {match: [Write], action: deny, risk: frozen}\n  - {match: ["*"], action: approve}\n',
    );
    const simulate = (...flags: string[]) => cli('policies', 'simulate', 'default', '--file', draft, ...flags);
    const report = await simulate('--tool', 'Write');
    expect(report.code).toBe(0);
    expect(report.stdout).toMatch(/^default: the draft "no-writes" against [0-9]+ recorded calls/);
    expect(report.stdout).toContain('allow → deny  Write  /workspace/*');
    expect((await simulate('--fail-on', 'changed')).code).toBe(13);
    expect((await simulate('--fail-on', 'loosened')).code).toBe(0);
    expect((await simulate('--since', '5d', '--run', 'last', '--agent', 'replayer', '--all-policies')).code).toBe(0);
    const { totals, changes } = JSON.parse((await simulate('-o', 'json')).stdout) as Schemas['SimulationView'];
    expect(totals.changed).toBeGreaterThan(0);
    expect(changes[0]?.examples[0]?.event_seq).toBeGreaterThan(0);
    expect((await cli('policies', 'simulate', 'no-such', '--file', draft)).code).toBe(3);
    writeFileSync(draft, 'name: x\ntools: [{match: Write, action: deny}]\n');
    expect((await simulate()).code).toBe(2);
  });

  it('answers usage, unknown runs, wrong tokens and absent servers with codes of their own', async () => {
    expect((await cli('run', '--max-cost', 'much', 'x')).code).toBe(2);
    expect((await cli('runs', '-o', 'xml')).code).toBe(2);
    expect((await cli('show', '00000000-0000-7000-8000-000000000000')).code).toBe(3);
    const token = join(folder, 'wrong');
    writeFileSync(token, 'not-the-token-of-this-server');
    expect((await cli('--token-file', token, 'runs')).code).toBe(4);
    expect((await cli('--server', 'http://127.0.0.1:9', '--token-file', token, 'runs')).code).toBe(6);
  });

  it('creates an organization with its policies, and not twice', async () => {
    expect((await cli('admin', 'orgs', 'create', 'second-team')).code).toBe(0);
    const again = await cli('admin', 'orgs', 'create', 'second-team');
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain('second-team');
  });
});
