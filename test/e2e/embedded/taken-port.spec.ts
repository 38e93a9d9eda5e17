import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiveStack } from '../../support/installation/live-stack.js';
import { StartedSandgate, temporaryStateFolder } from '../../support/installation/started-sandgate.js';
import { temporalProgram } from '../../support/installation/temporal-program.js';

describe('a port that somebody took between its choice and its use', () => {
  let folder: string;
  let stack: LiveStack | undefined;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sg-port-'));
  });

  afterAll(async () => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  it('does not stop a start: other ports are chosen', async () => {
    // Ends as the server does whose port is taken, the first time; afterwards it is the server.
    const marker = join(folder, 'tried');
    const program = join(folder, 'temporal');
    const script = `#!/bin/sh\ncase "$*" in *start-dev*) [ -e '${marker}' ] || { : > '${marker}'; exit 2; } ;; esac\nexec '${await temporalProgram()}' "$@"\n`;
    writeFileSync(program, script);
    chmodSync(program, 0o755);
    chmodSync(folder, 0o777);
    stack = await LiveStack.start({ SERVICE_TEMPORAL_BIN: program });
    expect(existsSync(marker)).toBe(true);
    await stack.createReplayAgent('bee');
    const run = await stack.startRun('bee', [{ say: 'hello' }]);
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
  }, 120_000);
});

it('installations that start at the same moment have ports of their own', async () => {
  const folders = Array.from({ length: 2 }, temporaryStateFolder);
  const started = folders.map((folder) => StartedSandgate.spawn(folder));
  try {
    await Promise.all(started.map((one) => one.ready()));
    const ports = started.flatMap((one) => one.ports);
    expect(new Set(ports).size).toBe(6);
    for (const one of started) expect((await one.request('/v1/agents')).status).toBe(200);
  } finally {
    await Promise.all(started.map((one) => one.stop()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}, 240_000);
