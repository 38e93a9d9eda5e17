import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const PROGRAM = fileURLToPath(new URL('../../../bin/sandgate.mjs', import.meta.url));
// The first demo of a machine fetches the program.
const LIMIT_MS = 480_000;

describe('the demo', () => {
  it.each(['builtin', 'replay', 'claude-agent-sdk', 'codex'])(
    'with %s installs what it needs and keeps all its promises',
    async (harness) => {
      const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'demo', '--yes', '--harness', harness], {
        timeout: LIMIT_MS - 10_000,
      });
      const promises = stdout.split('What was promised')[1] ?? '';
      expect(promises.match(/^ {2}kept {3}/gm)).toHaveLength(9);
      expect(promises).not.toContain('BROKEN');
      expect(promises).toContain(harness === 'replay' ? 'no model was called' : 'the model calls were metered');
    },
    LIMIT_MS,
  );
});
