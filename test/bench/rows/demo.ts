import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost } from '../row.js';
import type { AloneRow } from './bench-row.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** `npm run demo` with packages and build there and nothing running: a new PostgreSQL, a new Temporal, one whole run. */
export const demo: AloneRow = {
  name: 'cold-demo',
  timeoutMs: 90_000,
  async measureAlone() {
    const bootstrap = await timed(['bootstrap/run.mjs', 'node', '-e', '0']);
    const whole = await timed(['bootstrap/run.mjs', 'demo']);
    return {
      values: { seconds: whole / 1000 },
      unit: { seconds: 's' },
      baseline: { bootstrap_alone: bootstrap / 1000 },
      targets: [atMost('finished, approved, diffed run', whole / 1000, 15, 's')],
      notes: [
        'from the command to its exit, with everything stopped and removed again; without a terminal the demo approves',
      ],
    };
  },
};

function timed(args: string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(performance.now() - start);
      else reject(new Error(`${args.join(' ')} ended with ${code}: ${said.slice(-2000)}`));
    });
  });
}
