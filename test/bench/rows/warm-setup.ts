import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { BenchStack } from '../bench-stack.js';
import { timeFirstToolCall } from '../load/first-tool-call.js';
import { spreadOf } from '../load/percentiles.js';
import { atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

const FILES = 300;
/** As an installation of packages leaves them: many small files, and a few large ones. */
const INSTALL = `for n in $(seq 1 4000); do mkdir -p node_modules/p$((n % 200)); echo "module.exports = $n" > node_modules/p$((n % 200))/$n.js; done
head -c 60000000 /dev/urandom > node_modules/p1/native.node`;
const TASK = JSON.stringify([{ tool: 'Bash', input: { command: 'ls node_modules | wc -l' } }]);

/** Create run → the agent's first tool call, of a run whose setup is reused, beside one on the same workspace without a setup. */
export const warmSetup: BenchRow = {
  name: 'warm-setup',
  timeoutMs: 120_000,
  async measure(stack, { quick }) {
    // Below the default root of local copies.
    const folder = mkdtempSync(join(homedir(), '.sandgate-bench-'));
    try {
      writeProject(folder);
      await createAgents(stack);
      const cold = await startOnce(stack, 'bench-warm', folder);
      await startOnce(stack, 'bench-warm', folder);
      await startOnce(stack, 'bench-plain', folder);
      const [warm, plain]: [number[], number[]] = [[], []];
      for (let index = 0; index < (quick ? 2 : 15); index += 1) {
        plain.push(await startOnce(stack, 'bench-plain', folder));
        warm.push(await startOnce(stack, 'bench-warm', folder));
      }
      const [ours, baseline] = [spreadOf(warm), spreadOf(plain)];
      return {
        values: { p50: ours.p50, max: ours.max, ratio: ours.p50 / baseline.p50, cold },
        unit: { p50: 'ms', max: 'ms', ratio: '× the same without a setup', cold: 'ms' },
        baseline: { without_setup: baseline.p50 },
        targets: [atMost('first tool call of a warm run', ours.p50, 1.3 * baseline.p50, 'ms')],
        notes: [
          'from sending POST /v1/sessions to the first tool call of the agent on the record; warm and plain runs alternate',
        ],
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function writeProject(folder: string): void {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'package.json'), '{"name":"project"}\n');
  for (let n = 0; n < FILES; n += 1)
    writeFileSync(join(folder, 'src', `${n}.js`), `module.exports = ${n};\n`.repeat(20));
}

async function createAgents(stack: BenchStack): Promise<void> {
  const policy = 'unrestricted';
  const setup = { commands: [INSTALL], timeout_secs: 60, cache: true };
  await stack.json('POST', '/v1/agents', { name: 'bench-plain', harness: 'replay', policy });
  await stack.json('POST', '/v1/agents', { name: 'bench-warm', harness: 'replay', policy, setup });
}

function startOnce(stack: BenchStack, agent: string, path: string): Promise<number> {
  return timeFirstToolCall(stack, { agent, task: TASK, workspace: { kind: 'local_copy', path } });
}
