import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCRIPTED_MODEL_KEY } from '../../../src/cli/demo/demo-environment.js';
import { provideHarness } from '../../../src/embedded/harness-programs.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { TEST_PROVIDER } from '../../support/engine/test-provider.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { LiveStack } from '../../support/installation/live-stack.js';
import { IS_NIGHTLY } from '../../support/nightly/nightly.js';

const PROGRAM = fileURLToPath(new URL('../../../bin/sandgate.mjs', import.meta.url));
const LIMIT_MS = 240_000;

describe(`the demo on a server that is set up for it, in ${TEST_PROVIDER}`, () => {
  let stack: LiveStack;
  let folder: string;
  let port: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sg-demo-'));
    [port = 0] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    stack = await LiveStack.start({
      SERVICE_LLM_ANTHROPIC_URL: url,
      ANTHROPIC_API_KEY: SCRIPTED_MODEL_KEY,
      SERVICE_LLM_OPENAI_URL: url,
      OPENAI_API_KEY: SCRIPTED_MODEL_KEY,
      SERVICE_LOCAL_COPY_ROOTS: folder,
    });
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  async function demo(harness: string): Promise<{ code: number; said: string }> {
    const where = ['--on-server', '--model-bind', `127.0.0.1:${port}`, '--folder', folder];
    const argv = [PROGRAM, 'demo', '--yes', ...where, '--harness', harness];
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, SANDGATE_URL: stack.url, SANDGATE_TOKEN: stack.installation.adminToken };
    return promisify(execFile)(process.execPath, argv, { timeout: LIMIT_MS - 10_000, env }).then(
      ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        said: error.stdout + error.stderr,
      }),
    );
  }

  async function harnessOfNewestRun(): Promise<string | undefined> {
    const { sessions } = await stack.json<{ sessions: { run_spec: { harness: string } }[] }>('GET', '/v1/sessions');
    return sessions[0]?.run_spec.harness;
  }

  it('says what the server lacks for a harness whose program is not installed there', async () => {
    const { code, said } = await demo('codex');
    expect(code).not.toBe(0);
    expect(said).toMatch(/codex is not available: .*sandgate harness install codex/);
  });

  it.each([
    ['builtin', 'fixer'],
    ['replay', 'demo-replay'],
    ...(IS_NIGHTLY
      ? ([
          ['claude-agent-sdk', 'demo-claude-agent-sdk'],
          ['codex', 'demo-codex'],
        ] as const)
      : []),
  ] as const)(
    'with %s runs on that harness, whatever the agents of the server run on, and keeps all its promises',
    async (harness, agent) => {
      if (harness === 'claude-agent-sdk' || harness === 'codex') await provideHarness(stack.dataDir, harness);
      const { code, said } = await demo(harness);
      const promises = said.split('What was promised')[1] ?? said;
      expect(promises.match(/^ {2}kept {3}/gm)).toHaveLength(9);
      expect([code, promises.includes('BROKEN')]).toEqual([0, false]);
      expect(said).toContain(`Agent "${agent}" (${harness})`);
      expect(await harnessOfNewestRun()).toBe(harness);
      expect(readdirSync(folder)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'makes its agent once, and refuses one that has been given another harness',
    async () => {
      expect(await demo('replay')).toMatchObject({ code: 0 });
      const { agents } = await stack.json<{ agents: { name: string }[] }>('GET', '/v1/agents');
      expect(agents.filter(({ name }) => name === 'demo-replay')).toHaveLength(1);
      await stack.json('POST', '/v1/agents/demo-replay/revisions', { harness: 'builtin', model: 'claude-haiku-4-5' });
      expect(await demo('replay')).toMatchObject({
        code: 5,
        said: expect.stringContaining('the agent demo-replay of this server runs on builtin'),
      });
    },
    LIMIT_MS,
  );
});
