import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describeWithEngine } from '../../support/engine/describe-with-engine.js';
import { MAKE_WITHIN_MS, startEngine } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { engineSettings } from '../../support/engine/test-provider.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import { EVERYTHING, installedTools } from '../../support/packages/installed-tools.js';

jest.setTimeout(300_000);

const PROGRAM = resolve('dist/cli/main.js');
/** A mount of its own hides the program from the command alone, as on a host that has none. */
const WITHOUT_BUBBLEWRAP = 'mount --bind /dev/null "$(readlink -f "$(command -v bwrap)")" && exec "$@"';

describeWithEngine('the tools of an installed server, where bubblewrap does not work', () => {
  let engine: PodmanService;
  let folder: string;

  beforeAll(async () => {
    engine = await startEngine();
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'sg-'));
    cpSync(await installedTools(), join(folder, 'tools'), { recursive: true });
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function describeTools(
    argv: readonly string[],
    settings: NodeJS.ProcessEnv,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const command = [process.execPath, PROGRAM, '--data-dir', folder, 'tools', 'describe', EVERYTHING, '-o', 'json'];
    const [program = '', ...args] = [...argv, ...command];
    const env = { PATH: process.env['PATH'], HOME: folder, ...settings };
    return promisify(execFile)(program, args, { timeout: 240_000, env, maxBuffer: 16 << 20 }).then(
      (said) => ({ code: 0, ...said }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  }
  const withoutBubblewrap = ['unshare', '--mount', 'sh', '-c', WITHOUT_BUBBLEWRAP, 'sh'];

  it('are asked for in a container, with the same answer, and no container stays', async () => {
    const usual = await describeTools([], {});
    const contained = await describeTools(withoutBubblewrap, engineSettings(engine, TEST_IMAGE));
    expect(contained).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(contained.stdout)).toEqual(JSON.parse(usual.stdout));
    expect(usual.stdout).toContain('"get-sum"');
    expect(engine.podman('events', '--stream=false', '--filter', 'event=create')).toContain('service-confined-');
    expect(engine.containers()).toEqual([]);
  });

  it('are not asked for at all where nothing confines, and the command says what is missing', async () => {
    const nowhere = { SERVICE_PROVIDER: 'docker', SERVICE_DOCKER_HOST: `unix://${join(folder, 'none.sock')}` };
    const refused = await describeTools(withoutBubblewrap, nowhere);
    expect(refused.code).toBe(69);
    expect(refused.stderr).toMatch(/no program can be confined on this host: bubblewrap: .*; docker: /);
    const alone = await describeTools(withoutBubblewrap, {
      ...engineSettings(engine, TEST_IMAGE),
      SERVICE_PROVIDER: 'bubblewrap',
    });
    expect(alone.code).toBe(69);
    expect(alone.stderr).toMatch(/no program can be confined on this host: bubblewrap: [^;]*bwrap/);
    expect(alone.stderr).not.toContain('docker:');
  });
});
