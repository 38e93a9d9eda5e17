import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bringNode, personWith, type BroughtNode } from '../../support/installation/older-node.js';
import { processesOf, temporaryStateFolder, until } from '../../support/installation/started-sandgate.js';

jest.setTimeout(300_000);

const STOPPED_WITHIN_MS = 30_000;

/** From npm down to the program that runs the installation. */
interface Chain {
  npm: ChildProcess;
  pids: number[];
  output: () => string;
}

let node: BroughtNode;
let dataDir: string;
let chain: Chain | undefined;

beforeAll(async () => {
  node = await bringNode(20);
  dataDir = temporaryStateFolder();
});
afterEach(async () => {
  for (const { pid } of processesOf(dataDir)) process.kill(pid, 'SIGKILL');
  if (chain?.npm.exitCode === null && chain.npm.signalCode === null) chain.npm.kill('SIGKILL');
  await until(() => processesOf(dataDir).length === 0, STOPPED_WITHIN_MS, 'every process is gone');
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** `npm start` with an older Node, as the README has it, in a process group of its own. */
async function npmStart(...flags: string[]): Promise<Chain> {
  const env = personWith(node, { SERVICE_DATA_DIR: dataDir });
  const npm = spawn('npm', ['start', ...flags], { cwd: resolve('.'), env, detached: true, stdio: 'pipe' });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  chain = { npm, pids: [], output: () => output };
  await until(
    () => npm.exitCode !== null || /^ {2}Admin token .*\n/m.test(output),
    240_000,
    `npm start serves:\n${output}`,
  );
  if (npm.exitCode !== null) throw new Error(`it did not start:\n${output}`);
  for (let pid: number | undefined = npm.pid; pid !== undefined; pid = onlyChild(pid)) chain.pids.push(pid);
  return chain;
}

/** The one child of a process of the chain; the program of the installation at its end has several. */
function onlyChild(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children.length === 1 ? Number(children[0]) : undefined;
}

describe('npm start', () => {
  it.each<[string, (started: Chain) => number]>([
    ['npm', ({ npm }) => npm.pid!],
    ['the process that npm started', ({ pids }) => pids[1]!],
    ['the bootstrap on the Node that it brought', ({ pids }) => pids.at(-2)!],
    ['the program at the end of the chain', ({ pids }) => pids.at(-1)!],
    ['the whole group', ({ npm }) => -npm.pid!],
  ])('is stopped in the orderly way by SIGTERM to %s', async (_whom, target) => {
    const started = await npmStart();
    expect(started.pids.length).toBeGreaterThanOrEqual(4);
    const ended = once(started.npm, 'exit');
    process.kill(target(started), 'SIGTERM');
    expect(await ended).toEqual([0, null]);
    await until(() => processesOf(dataDir).length === 0, STOPPED_WITHIN_MS, 'every process is gone');
    expect(started.output()).not.toContain('killing it');
  });
});
