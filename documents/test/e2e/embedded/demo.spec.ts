import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ownDocsvcPlace } from '../../support/installation/started-docsvc.js';

const PROGRAM = 'dist/documents/src/cli/demo/main.js';
const LIMIT_MS = 240_000;
/** Nothing but loopback is there. */
const WITHOUT_NETWORK = ['--dev-bind', '/', '/', '--proc', '/proc', '--unshare-net', '--die-with-parent'];

describe('the demo of the documents service', () => {
  it(
    'DI-025 keeps all its promises without a network, those of the one command in every format among them, and leaves the picture of a citation',
    async () => {
      const argv = [...WITHOUT_NETWORK, process.execPath, PROGRAM];
      const { stdout } = await promisify(execFile)('bwrap', argv, {
        env: ownDocsvcPlace(),
        timeout: LIMIT_MS - 10_000,
      });
      const promises = stdout.split('What was promised')[1] ?? '';
      expect(promises.match(/^ {2}kept {3}/gm)).toHaveLength(12);
      expect(promises).not.toContain('BROKEN');
      const picture = /The picture: (.+)$/m.exec(stdout)?.[1] ?? '';
      expect(existsSync(picture)).toBe(true);
      expect(existsSync(`${dirname(picture)}/state`)).toBe(false);
      rmSync(dirname(picture), { recursive: true });
    },
    LIMIT_MS,
  );
});
