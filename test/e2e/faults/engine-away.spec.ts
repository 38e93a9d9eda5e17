import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithEngine, MAKE_WITHIN_MS, startEngine } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import { LiveStack } from '../../support/installation/live-stack.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';

/** Long enough that whoever needs the engine has asked for it in vain. */
const AWAY_MS = 2_000;
const WRITES = { tool: 'Write', input: { file_path: 'made.txt', content: 'made\n' } };
const WAITS = [WRITES, { tool: 'Bash', input: { command: 'sh deploy.sh' } }];

describeWithEngine('the container engine is killed and comes back', () => {
  let engine: PodmanService;
  let stack: LiveStack;

  beforeAll(async () => {
    engine = await startEngine();
    stack = await LiveStack.start({
      SERVICE_PROVIDER: 'docker',
      SERVICE_DOCKER_HOST: `unix://${engine.socket}`,
      SERVICE_SANDBOX_IMAGE: TEST_IMAGE,
    });
    await stack.createReplayAgent('contained');
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await stack?.stop();
    await engine?.[Symbol.asyncDispose]();
  }, 120_000);

  const killed = async (meanwhile: () => Promise<void>): Promise<void> => {
    await engine.kill();
    await meanwhile();
    await sleep(AWAY_MS);
    await engine.begin();
  };

  const diffOf = async (id: string): Promise<string | undefined> => {
    const { artifacts } = await stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${id}/artifacts`,
    );
    return artifacts.find(({ kind }) => kind === 'diff')?.content;
  };

  it('before a launch: the launch waits for it', async () => {
    let id = '';
    await killed(async () => {
      id = await stack.startRun('contained', [WRITES]);
    });
    expect((await stack.untilTerminal(id)).status).toBe('completed');
    expect(await diffOf(id)).toContain('+made');
    await expectWholeLedger(stack, id);
  }, 240_000);

  it('while a run waits for a person: it goes on in the same sandbox', async () => {
    const id = await stack.startRun('contained', WAITS);
    const approval = await stack.pendingApproval(id);
    const [before] = engine.podman('ps', '--no-trunc', '--format', '{{.ID}}').split('\n');
    await killed(async () => {
      await stack.decide(approval.id, 'approved_once');
    });
    expect((await stack.untilTerminal(id)).status).toBe('completed');
    expect(await diffOf(id)).toContain('+made');
    const timeline = JSON.stringify(await stack.timeline(id));
    expect(timeline).toContain(String(before).slice(0, 12));
    await expectWholeLedger(stack, id);
  }, 240_000);

  it('while a run is cancelled: it ends when its death is certain, with its diff', async () => {
    const id = await stack.startRun('contained', WAITS);
    await stack.pendingApproval(id);
    await killed(async () => {
      await stack.json('POST', `/v1/sessions/${id}/cancel`);
    });
    expect((await stack.untilTerminal(id)).status).toBe('cancelled');
    expect(await diffOf(id)).toContain('+made');
  }, 240_000);

  it('leaves no container behind', async () => {
    await stack.until('the engine to be empty', 60_000, () =>
      Promise.resolve(engine.podman('ps', '--all', '--quiet').trim() === '' ? true : undefined),
    );
  });
});
