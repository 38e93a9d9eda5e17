import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const FLIPS = 200;

describe('names that flip, asked through the resolver of the system', () => {
  it(`CP-032 lead nowhere but where they were checked, in ${FLIPS} flips in a network of their own`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandgate-names-'));
    try {
      const files = {
        'resolv.conf': 'nameserver 127.0.0.1\noptions timeout:30 attempts:1\n',
        'nsswitch.conf': 'hosts: dns\n',
        hosts: '',
      };
      const mounts: string[] = [];
      for (const [name, text] of Object.entries(files)) {
        await writeFile(join(folder, name), text);
        mounts.push(
          '--ro-bind',
          join(folder, name),
          await realpath(join('/etc', name)).catch(() => join('/etc', name)),
        );
      }
      const { stdout } = await promisify(execFile)(
        'bwrap',
        [
          ...['--bind', '/', '/', '--dev', '/dev', '--unshare-user', '--unshare-net', '--uid', '0', '--gid', '0'],
          ...['--cap-add', 'CAP_NET_BIND_SERVICE', '--die-with-parent', ...mounts],
          ...[process.execPath, resolve('test/e2e/egress/rebound-names.mjs')],
          ...[resolve('dist/src/platform/egress/egress.js'), String(FLIPS)],
        ],
        { timeout: 60_000 },
      );
      const seen = JSON.parse(stdout) as { outcomes: string[]; outside: number; inside: number; most: number };
      const expected = Array.from({ length: FLIPS / 2 }, () => ['0', 'address false']).flat();
      expect(seen).toEqual({ outcomes: expected, outside: FLIPS / 2, inside: 0, most: 2 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 90_000);
});
