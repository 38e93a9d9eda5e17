import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bringNode, personWith, type BroughtNode } from '../../support/installation/older-node.js';
import { IS_NIGHTLY } from '../../support/nightly/nightly.js';

jest.setTimeout(300_000);

const COMMAND = resolve('bin/sandgate.mjs');
const folder = mkdtempSync(join(tmpdir(), 'sandgate-nodes-'));
const links = join(folder, 'sandgate');

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

beforeAll(() => {
  writeFileSync(join(folder, 'good.yaml'), 'name: good\ntools: [{match: [Read], action: deny}]\n');
  writeFileSync(join(folder, 'bad.yaml'), 'name: bad\ntools: [{match: [Read], action: perhaps}]\n');
  writeFileSync(join(folder, 'token'), 'a-token-that-nobody-reads');
  symlinkSync(COMMAND, links);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The oldest that the command has to do with; the nightly campaign takes those up to the one that it runs on, which other suites use. */
const MAJORS = IS_NIGHTLY ? [18, 20, 22, 24] : [18];

describe.each(MAJORS)('on Node %d', (major) => {
  let node: BroughtNode;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    node = await bringNode(major);
    env = personWith(node);
    env['PATH'] = `${folder}:${env['PATH'] ?? ''}`;
    expect((await run('node', ['--version'])).stdout.trim()).toBe(node.version);
  });

  function run(program: string, argv: string[], cwd = folder): Promise<Outcome> {
    return new Promise((done) => {
      execFile(program, argv, { env, cwd, timeout: 200_000 }, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  }

  /** The alias of the README, a link in PATH, and npx in the checkout, from a folder of it that is not its root. */
  const ways: [string, string, string[], string][] = [
    ['the alias', 'node', [COMMAND], folder],
    ['a link in PATH', 'sandgate', [], folder],
    ['npx', 'npx', ['--no', 'sandgate', '--'], resolve('docs')],
  ];

  it.each(ways)('%s runs the command that was typed, on files of the caller, with its exit code', async (...way) => {
    const [, program, before, cwd] = way;
    const sandgate = (...argv: string[]) => run(program, [...before, ...argv], cwd);
    const inFolder = (name: string) => (cwd === folder ? name : join(folder, name));
    const good = await sandgate('policies', 'validate', inFolder('good.yaml'));
    expect(good).toMatchObject({ code: 0, stdout: `${inFolder('good.yaml')}: valid, policy good\n` });
    expect((await sandgate('policies', 'validate', inFolder('bad.yaml'))).code).toBe(2);
    const unknown = await sandgate('no-such-command');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("unknown command 'no-such-command'");
  });

  it('passes a signal on to the program and ends as it does', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const asked = once(silent, 'connection');
    const argv = [COMMAND, '--server', url, '--token-file', 'token', 'runs'];
    const child = spawn('node', argv, { env, cwd: folder, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await asked;
    child.kill('SIGTERM');
    expect([
      [null, 'SIGTERM'],
      [143, null],
    ]).toContainEqual(await ended);
    silent.close();
  });
});
