import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { endEngineOf, engineOf, engineSettings, TEST_PROVIDER } from '../../support/engine/test-provider.js';
import { TOOLS_IMAGE } from '../../support/engine/test-image.js';

const PROGRAM = fileURLToPath(new URL('../../../bin/sandgate.mjs', import.meta.url));
// The first demo of a machine fetches the program.
const LIMIT_MS = 480_000;

describe(`the demo in ${TEST_PROVIDER}`, () => {
  let engine: PodmanService | null = null;

  beforeAll(async () => {
    engine = await engineOf('the demo');
  }, MAKE_WITHIN_MS);

  afterAll(() => endEngineOf('the demo'));

  it.each(['builtin', 'replay', 'claude-agent-sdk', 'codex'])(
    'with %s installs what it needs and keeps all its promises',
    async (harness) => {
      const env = { ...process.env, ...(engine === null ? {} : engineSettings(engine, TOOLS_IMAGE)) };
      const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'demo', '--yes', '--harness', harness], {
        timeout: LIMIT_MS - 10_000,
        env,
      });
      const promises = stdout.split('What was promised')[1] ?? '';
      expect(promises.match(/^ {2}kept {3}/gm)).toHaveLength(9);
      expect(promises).not.toContain('BROKEN');
      expect(promises).toContain(harness === 'replay' ? 'no model was called' : 'the model calls were metered');
      expect(engine?.containers() ?? []).toEqual([]);
    },
    LIMIT_MS,
  );
});
