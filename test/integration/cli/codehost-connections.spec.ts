import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ADMIN_TOKEN } from '../../support/api/api.js';
import { captureTerminals, startCommand } from '../../support/cli/running-command.js';
import { CodehostBench, TOKEN } from '../../support/codehost/codehost-bench.js';

let bench: CodehostBench;
const earlier = { url: process.env['SANDGATE_URL'], token: process.env['SANDGATE_TOKEN'] };

beforeAll(async () => {
  captureTerminals();
  bench = await CodehostBench.start();
  Object.assign(process.env, { SANDGATE_URL: bench.api.url, SANDGATE_TOKEN: ADMIN_TOKEN });
});
afterAll(async () => {
  jest.restoreAllMocks();
  Object.assign(process.env, { SANDGATE_URL: earlier.url ?? '', SANDGATE_TOKEN: earlier.token ?? '' });
  await bench?.close();
});

describe('a code host by token', () => {
  it('with a webhook secret from a file the command names the address to enter at the host', async () => {
    const file = join(bench.host.folder, 'webhook-secret');
    writeFileSync(file, 'canary-of-16-chars\n');
    const argv = ['connections', 'add', '--provider', 'codehost', '--with-token', '--webhook-secret-file', file];
    const { code, stdout, stderr } = await startCommand(argv, `${TOKEN}\n`).outcome;
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^octo (\S+) is active\nEnter as webhook address at the code host: \/v1\/ingress\/codehost\/\1 /,
      ),
    ]);
    expect(stdout + stderr).not.toContain('canary');
  });
});
