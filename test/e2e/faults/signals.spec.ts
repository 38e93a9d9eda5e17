import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { Database } from '../../../src/core/record/database.js';
import { capacityGranted, runWorkflowId } from '../../../src/workflows/messages.js';
import { createGatedRun } from '../../support/gate/gated-run.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { LiveStack, type Part } from '../../support/installation/live-stack.js';
import { shortHistoryServer } from '../../support/installation/short-histories.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { SeededRandom } from '../../support/random/seeded-random.js';
import type { FixtureOrganization, FixtureRun } from '../../support/runs/run-fixture.js';
import { readExecutions, SignalledRun } from './signalled-run.js';

/** Signals of questions and decisions that are sent in all; the nightly campaign sends 10,000. */
const SIGNALS = Number(process.env['TEST_SIGNALS'] ?? 120);
const RUNS = 6;
/** Runs in line that are cancelled while they are woken again and again. */
const CANCELLED = Math.max(4, Math.floor(SIGNALS / 500));
const CANCELLED_AT_ONCE = 4;
/** A new execution after so few events: a few signals each. */
const EVENTS = 40;
const KILL_EVERY = Math.max(40, Math.floor(SIGNALS / 40));
const VICTIMS: Part[] = ['temporal', 'worker', 'worker'];
const DAY_MS = '86400000';
/** Far less than the time after which a run in line looks by itself. */
const ENDS_WITHIN_MS = 45_000;
const TOLD_WITHIN_MS = 60_000;

describe('signals around new executions and restarts', () => {
  let stack: LiveStack;
  let database: StackDatabase;
  let db: Database;
  let connection: Connection;
  let client: Client;
  let server: { folder: string; program: string } | undefined;
  let organization: FixtureOrganization;
  const prepared: FixtureRun[] = [];
  const random = new SeededRandom(3);

  beforeAll(async () => {
    server = await shortHistoryServer(EVENTS);
    stack = await LiveStack.start({
      SERVICE_TEMPORAL_BIN: server.program,
      SERVICE_CAPACITY_GLOBAL_MAX_ACTIVE: '1',
      // The host of the prepared runs never comes, and no sweep makes up for a signal that was lost.
      SERVICE_TIMING_HOST_GONE_MS: DAY_MS,
      SERVICE_TIMING_MAINTENANCE_MS: DAY_MS,
    });
    database = StackDatabase.of(stack);
    await stack.createReplayAgent('worker-bee');
    const socketDir = encodeURIComponent(join(stack.dataDir, 'pg'));
    const url = `postgres://sandgate@/sandgate?host=${socketDir}`;
    db = await Database.connect({ url, poolSize: 4, applicationName: 'spec' });
    connection = await Connection.connect({ address: stack.installation.temporalAddress });
    client = new Client({ connection });
    organization = await ownOrganization();
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    try {
      // Nobody would come to end the sandboxes that they never had.
      await database?.query(
        `update sessions set status = 'cancelled', status_reason = 'spec', finished_at = now() where id = any ($1)`,
        [prepared.map((run) => run.runId)],
      );
    } finally {
      await connection?.close();
      await db?.close();
      await stack?.stop();
      if (server !== undefined) rmSync(server.folder, { recursive: true, force: true });
    }
  }, 120_000);

  async function ownOrganization(): Promise<FixtureOrganization> {
    const [found] = await database.query<FixtureOrganization>(
      `select o.id as "organizationId", a.id as "agentId", r.id as "revisionId", r.policy_id as "policyId"
         from tenants o join agents a on a.tenant_id = o.id join agent_revisions r on r.agent_id = a.id
        where o.slug = 'default' and a.name = 'worker-bee'`,
    );
    if (found === undefined) throw new Error('the agent is missing');
    return found;
  }

  async function prepareRun(): Promise<SignalledRun> {
    const run = await createGatedRun(db, { in: organization, hostId: uuidv7() });
    prepared.push(run);
    return new SignalledRun(stack, db, client, run);
  }

  it(
    `proof 3: ${SIGNALS} questions and decisions wake their workflows, whatever is killed meanwhile`,
    async () => {
      const runs = await Promise.all(Array.from({ length: RUNS }, prepareRun));
      let sent = 0;
      let kills = 0;
      const killNext = (): void => {
        const part = VICTIMS[kills % VICTIMS.length] as Part;
        // It is being started again still.
        if (stack.installation.pids[part] === undefined) return;
        stack.kill(part);
        kills += 1;
      };
      const signal = async (run: SignalledRun): Promise<void> => {
        while (sent < SIGNALS) {
          const calls = random.between(1, 3);
          sent += 2 * calls;
          if (sent >= (kills + 1) * KILL_EVERY) killNext();
          await run.askAndDecide(calls);
        }
      };
      await Promise.all(runs.map(signal));

      await stack.until('every wake-up to be sent', 90_000, async () => {
        const unsent = await database.query('select id from driver_outbox limit 1');
        return unsent.length === 0 ? true : undefined;
      });
      const executions = await stack.until('every signal to be told to its workflow', TOLD_WITHIN_MS, async () => {
        const chains = await Promise.all(runs.map((run) => readExecutions(client, run.fixture.runId)));
        return chains.flat().every(({ untold }) => untold === 0) ? chains : undefined;
      });
      // The recorder records: it counted signals, workflows did go on in new executions, and parts were killed.
      const counted = executions.flat().reduce((sum, { signals }) => sum + signals, 0);
      expect(counted).toBeGreaterThanOrEqual(RUNS);
      expect(executions.flat().length).toBeGreaterThan(RUNS + SIGNALS / EVENTS);
      expect(kills).toBeGreaterThanOrEqual(Math.floor(SIGNALS / KILL_EVERY) - 1);
      const asked = runs.reduce((sum, run) => sum + run.asked, 0);
      expect(2 * asked).toBeGreaterThanOrEqual(SIGNALS);
      const [record] = await database.query<object>(RECORD, [prepared.map((run) => run.runId)]);
      expect(record).toEqual({ approved: asked, requested: asked, decided: asked });
    },
    120_000 + SIGNALS * 400,
  );

  it(
    `proof 3: ${CANCELLED} runs in line that are woken again and again hear of their end, and the next one of its place`,
    async () => {
      const holder = await prepareRun();
      await holdPlace(holder.fixture);
      const cancelAmidSignals = async (): Promise<void> => {
        const id = await stack.startRun('worker-bee', [{ say: 'never' }]);
        await stack.untilStatus(id, 'queued');
        const handle = client.workflow.getHandle(runWorkflowId(id));
        // As many as lengthen the history beyond a new execution, the request for its end among them; the last may come too late.
        const wakes = Array.from({ length: EVENTS }, () => handle.signal(capacityGranted).catch(() => undefined));
        await stack.json('POST', `/v1/sessions/${id}/cancel`, {});
        await Promise.all(wakes);
        expect(await stack.untilStatus(id, 'cancelled', ENDS_WITHIN_MS)).toMatchObject({ status: 'cancelled' });
      };
      for (let done = 0; done < CANCELLED; done += CANCELLED_AT_ONCE) {
        await Promise.all(Array.from({ length: CANCELLED_AT_ONCE }, cancelAmidSignals));
      }
      const next = await stack.startRun('worker-bee', [{ say: 'done' }]);
      await stack.untilStatus(next, 'queued');
      await database.query('select svc_release_capacity($1, $2)', [organization.organizationId, holder.fixture.runId]);
      await client.workflow.getHandle(runWorkflowId(next)).signal(capacityGranted);
      expect(await stack.untilTerminal(next, ENDS_WITHIN_MS)).toMatchObject({ status: 'completed' });
    },
    120_000 + CANCELLED * 10_000,
  );

  /** The only place of the deployment, so that every further run waits in line. */
  async function holdPlace(run: FixtureRun): Promise<void> {
    await database.query('update sessions set capacity_held = true where id = $1', [run.runId]);
    await database.query(`update capacity_counters set active = 1 where scope in ('deployment', $1)`, [
      run.organizationId,
    ]);
  }
});

/** What the record holds of the questions and decisions of these runs. */
const RECORD = `
  select (select count(*)::int from approvals where session_id = any ($1) and status = 'approved_once') as approved,
         (select count(*)::int from events where session_id = any ($1) and type = 'approval.requested') as requested,
         (select count(*)::int from events where session_id = any ($1) and type = 'approval.decided') as decided`;
