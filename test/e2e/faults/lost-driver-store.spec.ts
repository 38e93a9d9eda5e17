import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { LiveStack, QUICK_MAINTENANCE, type Approval } from '../../support/installation/live-stack.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';
import { letGo, WORKS } from '../../support/runs/working-run.js';

const ACTIVE = 14;

describe('the driver loses its store', () => {
  let stack: LiveStack;

  beforeAll(async () => {
    stack = await LiveStack.start({ ...QUICK_MAINTENANCE, SERVICE_CAPACITY_TENANT_MAX_ACTIVE: String(ACTIVE) });
    await stack.createReplayAgent('worker-bee');
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    await stack?.stop();
  }, 120_000);

  const asks = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];
  const quick = [{ tool: 'Bash', input: { command: 'echo hello' } }];
  const start = (count: number, steps: object[]) =>
    Promise.all(Array.from({ length: count }, () => stack.startRun('worker-bee', steps)));

  /** What an operator would do to a broken store; the supervisor, which lives in this process, starts Temporal again. */
  function loseStore(): void {
    stack.kill('temporal');
    for (const file of readdirSync(stack.dataDir)) {
      if (file.startsWith('temporal.db')) rmSync(join(stack.dataDir, file));
    }
  }

  async function relayExecution(): Promise<string | undefined> {
    const connection = Connection.lazy({ address: stack.installation.temporalAddress, connectTimeout: '2s' });
    try {
      return (await new Client({ connection }).workflow.getHandle('relay').describe()).runId;
    } catch {
      // Not there yet: the server is starting, or nobody has started a relay in the new store.
      return undefined;
    } finally {
      await connection.close();
    }
  }

  it('CP-131 CP-140 CP-145 20 live runs end as they should when Temporal is killed and its store deleted', async () => {
    const waiting = await start(ACTIVE - 5, asks);
    const approvals = await Promise.all(waiting.map((id) => stack.pendingApproval(id, 120_000)));
    const working = await start(5, WORKS);
    await Promise.all(working.map((id) => stack.untilStatus(id, 'running', 120_000)));
    const queued = await start(6, quick);
    await Promise.all(queued.map((id) => stack.untilStatus(id, 'queued')));
    const before = await relayExecution();
    expect(before).toBeDefined();

    loseStore();
    for (const id of working) letGo(stack, id);
    const [cancelled = ''] = waiting.splice(0, 1);
    approvals.splice(0, 1);
    await stack.json('POST', `/v1/sessions/${cancelled}/cancel`, {});
    const [gone = ''] = queued.splice(0, 1);
    await stack.json('POST', `/v1/sessions/${gone}/cancel`, {});
    const decide = (approval: Approval, index: number) =>
      stack.decide(approval.id, index % 2 === 0 ? 'approved_once' : 'denied');
    await Promise.all(approvals.slice(0, 4).map(decide));
    const after = await stack.until('a new relay', 90_000, relayExecution);
    expect(after).not.toBe(before);
    await Promise.all(approvals.slice(4).map(decide));

    for (const id of [...waiting, ...working, ...queued]) {
      const session = await stack.untilTerminal(id, 180_000);
      expect({ id, status: session.status, reason: session.status_reason }).toMatchObject({ status: 'completed' });
    }
    for (const id of [cancelled, gone]) {
      expect(await stack.untilTerminal(id, 120_000)).toMatchObject({ status: 'cancelled' });
    }
    for (const id of [...waiting, ...working, ...queued, cancelled, gone]) await expectWholeLedger(stack, id);
    await expectNothingLeft();
  }, 600_000);

  async function expectNothingLeft(): Promise<void> {
    await stack.until('every folder of ended runs to be gone', 90_000, async () => {
      const kept = ['runs', 'baselines'].map((folder) => join(stack.dataDir, folder));
      const left = [planeRoot(stack.dataDir), ...kept].flatMap((folder) => {
        try {
          return readdirSync(folder);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
          throw error;
        }
      });
      return Promise.resolve(left.length === 0 ? true : undefined);
    });
  }
});
