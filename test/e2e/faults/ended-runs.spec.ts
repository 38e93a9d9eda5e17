import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { SANDBOX_UID_COUNT } from '../../../src/core/hosts/sandbox-uids.js';
import { isSystemError } from '../../../src/domain/system-error.js';
import { planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { LiveStack, QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';
import { SANDBOX_UID_BASE } from '../../support/installation/own-place.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { WORKS } from '../../support/runs/working-run.js';
import { awaitNoLeftovers, findLeftovers, type SandboxPlace } from '../../support/sandbox/leftovers.js';

/** Whole runs that end in every way; the nightly campaign plays 500. */
const RUNS = Number(process.env['TEST_ENDED_RUNS'] ?? 5);
const AT_ONCE = 4;
const FOLDERS = ['runs', 'baselines'];

describe('what runs leave behind', () => {
  let stack: LiveStack;
  let database: StackDatabase;
  let place: SandboxPlace;
  const started = new Set<string>();

  beforeAll(async () => {
    stack = await LiveStack.start(QUICK_MAINTENANCE);
    database = StackDatabase.of(stack);
    await stack.createReplayAgent('worker-bee', 'unrestricted');
    await stack.createReplayAgent('asker');
    await stack.createReplayAgent('frugal', 'unrestricted', { budgets: { max_tool_calls: 1 } });
    place = {
      folder: join(stack.dataDir, 'runs'),
      isRun: (name) => started.has(name),
      ...(stack.engine === null ? {} : { engine: stack.engine }),
    };
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await stack?.stop();
  }, 120_000);

  async function start(agent: string, steps: object[]): Promise<string> {
    const id = await stack.startRun(agent, steps);
    started.add(id);
    return id;
  }

  const write = { tool: 'Bash', input: { command: 'mkdir -p deep/er && echo x > deep/er/file' } };
  const background = { tool: 'Bash', input: { command: 'setsid sleep 600 > /dev/null 2>&1 & echo away' } };

  /** One run for each way to end, and what it ends as. */
  const ways: (() => Promise<[id: string, status: string]>)[] = [
    async () => [await start('worker-bee', [write, { say: 'done' }]), 'completed'],
    async () => [await start('worker-bee', [background, { say: 'done' }]), 'completed'],
    async () => [await start('frugal', [write, write, write]), 'budget_exceeded'],
    async () => {
      const id = await start('worker-bee', [...WORKS]);
      await stack.untilStatus(id, 'running');
      await stack.json('POST', `/v1/sessions/${id}/cancel`, {});
      return [id, 'cancelled'];
    },
    async () => {
      const id = await start('asker', [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }]);
      await stack.decide((await stack.pendingApproval(id)).id, 'denied');
      return [id, 'completed'];
    },
  ];

  it(
    `proof 19: after ${RUNS} runs that ended in every way nothing of them is left`,
    async () => {
      const limit = pLimit(AT_ONCE);
      const play = async (way: (typeof ways)[number] | undefined): Promise<void> => {
        const [id, status] = (await way?.()) ?? [];
        expect(await stack.untilTerminal(id ?? '')).toMatchObject({ status });
      };
      await Promise.all(Array.from({ length: RUNS }, (_, index) => limit(() => play(ways[index % ways.length]))));
      expect(started.size).toBe(RUNS);
      const alive = await start('worker-bee', [...WORKS]);
      await stack.untilStatus(alive, 'running');
      // The search finds what is there.
      expect(findLeftovers(place).join('\n')).toContain(alive);
      if (process.getuid?.() === 0) expect(processesOfSandboxes(stack.dataDir)).not.toEqual([]);
      await stack.json('POST', `/v1/sessions/${alive}/cancel`, {});
      await stack.untilTerminal(alive);

      await stack.until('every folder of ended runs to be gone', 60_000, () => {
        const folders = [planeRoot(stack.dataDir), ...FOLDERS.map((folder) => join(stack.dataDir, folder))];
        const left = folders.filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder));
        return Promise.resolve(left.length === 0 ? true : undefined);
      });
      expect(await awaitNoLeftovers(place)).toEqual([]);
      await stack.until('every process of ended runs to be gone', 30_000, () =>
        Promise.resolve(processesOfSandboxes(stack.dataDir).length === 0 ? true : undefined),
      );
      // The workflow forgets the request for the end last.
      await stack.until('every row that a live run has to be gone', 60_000, async () => {
        const [row] = await database.query<{ left: number }>(
          `select ((select count(*) from sandbox_uids) + (select count(*) from session_finalizations)
            + (select count(*) from driver_outbox))::int as left`,
        );
        return row?.left === 0 ? true : undefined;
      });
      expect(await database.capacity()).toEqual({ counted: 0, held: 0 });
    },
    180_000 + RUNS * 10_000,
  );
});

/**
 * Whatever runs as one of the users of this installation's sandboxes, named or not. Another one on the machine may use the same uids;
 * the folder of plane sockets, which every sandbox has a mount of, is this one's alone.
 */
function processesOfSandboxes(dataDir: string): string[] {
  const planes = `/${basename(planeRoot(dataDir))}/`;
  const isOfSandbox = (line: string): boolean => {
    const [pid, uid = NaN] = line.split(/ +/, 2).map(Number);
    if (!(uid >= SANDBOX_UID_BASE && uid < SANDBOX_UID_BASE + SANDBOX_UID_COUNT)) return false;
    return mountsOf(pid).includes(planes);
  };
  return execFileSync('ps', ['-eo', 'pid,uid,stat,args'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => isOfSandbox(line) && !/^\d+ +\d+ Z/.test(line));
}

/** Nothing of a process that has ended meanwhile. */
function mountsOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH', 'EINVAL')) return '';
    throw error;
  }
}
