import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveStack } from '../installation/live-stack.js';

const MARK = 'let-go';

/** Works until {@link letGo}, for two minutes at most: on a slow machine too the run is under way when a test needs it to be. */
export const WORKS = [
  {
    tool: 'Bash',
    input: { command: `node -e "setInterval(()=>{if(require('fs').existsSync('${MARK}'))process.exit()},50)"` },
  },
  { say: 'done' },
];

/** Ends the work of a run, also while no process of the installation lives. */
export function letGo(stack: LiveStack, run: string): void {
  writeFileSync(join(stack.dataDir, 'runs', run, 'disk', 'workspace', MARK), '');
}
