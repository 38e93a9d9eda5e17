import { beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PodmanService } from '../../support/engine/podman-service.js';
import type { EnterEngine } from '../../support/engine/share-engine.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import { TERMINAL, type LiveStack } from '../../support/installation/live-stack.js';
import { IS_NIGHTLY, itNightly } from '../../support/nightly/nightly.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';
import { letGo, WORKS } from '../../support/runs/working-run.js';

/** Long enough that whoever needs the engine has asked for it in vain. */
const AWAY_MS = 2_000;
/** Launches that are hit, each a little later than the one before; the nightly campaign hits more. */
const LAUNCHES = IS_NIGHTLY ? 3 * Number(process.env['TEST_FAULT_ROUNDS'] ?? 1) : 1;
const LATER_MS = 120;

const WRITES = { tool: 'Bash', input: { command: 'echo made > made.txt' } };
const WAITS = [WRITES, { tool: 'Bash', input: { command: 'sh deploy.sh' } }];

/** The container engine is killed and comes back. */
export function outlivesEngine(enter: EnterEngine): void {
  let engine: PodmanService;
  let stack: LiveStack;

  beforeAll(async () => {
    ({ engine, stack } = await enter());
    await stack.createReplayAgent('contained');
  });

  const away = async (meanwhile: () => Promise<void>): Promise<void> => {
    await engine.kill();
    try {
      await meanwhile();
      await sleep(AWAY_MS);
    } finally {
      await engine.begin();
    }
  };

  const containerOf = (run: string): string => engine.podman('inspect', '--format', '{{.Id}}', `service-${run}`).trim();

  /** The containers that the run was told to have. */
  const launchesOf = async (run: string): Promise<string[]> => {
    const texts = (await stack.timeline(run)).map(({ payload }) => payload.data['text']);
    return texts.flatMap((text) =>
      typeof text === 'string' ? (/^Sandbox (\w+) \(docker\) launched\.$/.exec(text)?.[1] ?? []) : [],
    );
  };

  const diffOf = async (run: string): Promise<string | undefined> => {
    const { artifacts } = await stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${run}/artifacts`,
    );
    return artifacts.find(({ kind }) => kind === 'diff')?.content;
  };

  const expectEnd = async (run: string, status: string): Promise<string | null> => {
    const ended = await stack.untilTerminal(run);
    expect({ status: ended.status, reason: ended.status_reason }).toMatchObject({ status });
    expect(await diffOf(run)).toContain('+made');
    await expectWholeLedger(stack, run);
    return ended.status_reason;
  };

  itNightly(
    'before a launch: the launch waits for it',
    async () => {
      let run = '';
      await away(async () => {
        run = await stack.startRun('contained', [WRITES]);
      });
      await expectEnd(run, 'completed');
      expect(await launchesOf(run)).toHaveLength(1);
    },
    240_000,
  );

  it.each(Array.from({ length: LAUNCHES }, (_, index) => index * LATER_MS))(
    'while a run is launched, after %i ms: it comes to have one sandbox',
    async (afterMs) => {
      // Not over before the engine is back: a run that ends while its launch is on the way is never told of its sandbox.
      const run = await stack.startRun('contained', [WRITES, ...WORKS]);
      await stack.untilStatus(run, ['initializing', 'running']);
      await sleep(afterMs);
      await away(() => Promise.resolve());
      await stack.untilStatus(run, 'running');
      letGo(stack, run);
      await expectEnd(run, 'completed');
      expect(await launchesOf(run)).toHaveLength(1);
    },
    240_000,
  );

  it('while a run waits for a person: it goes on in the same sandbox', async () => {
    const run = await stack.startRun('contained', WAITS);
    const approval = await stack.pendingApproval(run);
    const before = containerOf(run);
    await away(async () => {
      await stack.decide(approval.id, 'approved_once');
    });
    await expectEnd(run, 'completed');
    expect(await launchesOf(run)).toEqual([before.slice(0, 12)]);
  }, 240_000);

  it('with worker and API: the runner works on meanwhile, and the run ends in the same sandbox', async () => {
    const run = await stack.startRun('contained', [WRITES, ...WORKS]);
    await stack.untilStatus(run, 'running');
    const before = containerOf(run);
    await away(async () => {
      stack.kill('worker');
      stack.kill('api');
      // The worker does not come up without its engine, and nothing is taken for dead meanwhile.
      expect(TERMINAL.has((await stack.session(run)).status)).toBe(false);
    });
    letGo(stack, run);
    await expectEnd(run, 'completed');
    expect(await launchesOf(run)).toEqual([before.slice(0, 12)]);
  }, 240_000);

  itNightly(
    'while a run is cancelled: it ends when its death is certain, with its diff',
    async () => {
      const run = await stack.startRun('contained', WAITS);
      await stack.pendingApproval(run);
      const pid = engine.pidOf(`service-${run}`);
      await away(async () => {
        await stack.json('POST', `/v1/sessions/${run}/cancel`, {});
        await sleep(3 * AWAY_MS);
        // The runner was asked to leave, and has. Nobody can know that yet.
        expect(TERMINAL.has((await stack.session(run)).status)).toBe(false);
      });
      await expectEnd(run, 'cancelled');
      expect(existsSync(`/proc/${pid}`)).toBe(false);
    },
    240_000,
  );

  itNightly(
    'while a run winds down: its diff is collected',
    async () => {
      const run = await stack.startRun('contained', [WRITES, { say: 'done' }]);
      await stack.untilStatus(run, ['finalizing', 'completed']);
      await away(() => Promise.resolve());
      await expectEnd(run, 'completed');
    },
    240_000,
  );

  it('CP-007 a sandbox that dies meanwhile is not missed before the engine says so, and then fails its run', async () => {
    const run = await stack.startRun('contained', WAITS);
    await stack.pendingApproval(run);
    const pid = engine.pidOf(`service-${run}`);
    await away(async () => {
      process.kill(pid, 'SIGKILL');
      await sleep(AWAY_MS);
      expect((await stack.session(run)).status).toBe('awaiting_approval');
    });
    expect(await expectEnd(run, 'failed')).toContain('the sandbox was killed from outside');
  }, 240_000);

  itNightly(
    'orphans are found when it is back: nothing of a run that nobody knows, and nothing of ended ones, is left',
    async () => {
      const run = await stack.startRun('contained', WAITS);
      await stack.pendingApproval(run);
      const label = `service.deployment=${engine
        .podman('inspect', '--format', '{{index .Config.Labels "service.deployment"}}', `service-${run}`)
        .trim()}`;
      // The second is no run's name at all, and must not keep the first from being found.
      for (const unknown of [randomUUID(), 'not-a-run'])
        engine.podman(
          ...['run', '--detach', '--network', 'none', '--name', `service-${unknown}`, '--label', label],
          ...['--label', `service.session=${unknown}`, TEST_IMAGE, '/bin/sleep', '600'],
        );
      await away(async () => {
        await stack.json('POST', `/v1/sessions/${run}/cancel`, {});
      });
      await expectEnd(run, 'cancelled');
      await stack.until('the orphan and what the run had to be gone', 60_000, () => {
        const isLeft =
          engine.containers().join() !== 'service-not-a-run' || existsSync(join(stack.dataDir, 'runs', run));
        return Promise.resolve(isLeft ? undefined : true);
      });
    },
    240_000,
  );
}
