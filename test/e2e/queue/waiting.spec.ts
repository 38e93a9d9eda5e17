import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LiveStack, QUICK_MAINTENANCE, type TimelineEvent } from '../../support/installation/live-stack.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { pidOf } from '../../support/installation/part-pid.js';

const TTL_SECS = 20;
/** Wall clock of a brief run: less than some wait in the queue, far more than an idle run needs on a busy machine. */
const BRIEF_SECS = 8;
const asRoot = process.getuid?.() === 0;

const waitsForHuman = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];
const quick = [{ tool: 'Bash', input: { command: 'echo hello' } }];
const long = [{ tool: 'Bash', input: { command: 'echo evidence > e.txt; node -e "setTimeout(()=>{},60000)"' } }];

describe('a run in the queue', () => {
  let stack: LiveStack;
  let database: StackDatabase;

  beforeAll(async () => {
    stack = await LiveStack.start({
      ...QUICK_MAINTENANCE,
      SERVICE_CAPACITY_GLOBAL_MAX_ACTIVE: '1',
      SERVICE_QUEUE_TTL_SECS: String(TTL_SECS),
      SERVICE_LAUNCH_MAX_ATTEMPTS: '5',
      SERVICE_LAUNCH_REQUEUE_BACKOFF_SECS: '1',
    });
    database = StackDatabase.of(stack);
    await stack.createReplayAgent('worker-bee');
    await stack.createReplayAgent('free', 'unrestricted');
    await stack.createReplayAgent('brief', 'unrestricted', { budgets: { max_wall_clock_secs: BRIEF_SECS } });
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
  }, 120_000);

  afterEach(async () => {
    await stack.endRuns();
    await stack.until('the places to be given back', 60_000, async () => {
      const { counted, held } = await database.capacity();
      return counted === 0 && held === 0 ? true : undefined;
    });
  }, 240_000);

  /** A run that holds the one place until it is let go. */
  async function block(): Promise<{ id: string; letGo: () => Promise<unknown> }> {
    const id = await stack.startRun('worker-bee', waitsForHuman);
    const approval = await stack.pendingApproval(id);
    return { id, letGo: () => stack.decide(approval.id, 'denied') };
  }

  async function enqueue(agent: string, steps: object[]): Promise<string> {
    const run = await stack.startRun(agent, steps);
    await stack.untilStatus(run, 'queued');
    return run;
  }

  const moves = (events: TimelineEvent[]): unknown[] =>
    eventsOf(events, 'session.status_changed').map((data) => data['to']);

  it('CP-143 fails with queue_ttl_expired by its own timer, and never touches a sandbox', async () => {
    const blocker = await block();
    const run = await enqueue('worker-bee', quick);
    expect((await stack.json<{ queue_position?: number }>('GET', `/v1/sessions/${run}`)).queue_position).toBe(0);
    const session = await stack.untilTerminal(run);
    const [row] = await database.query<{ waited: number }>(
      'select extract(epoch from finished_at - queued_at)::float8 as waited from sessions where id = $1',
      [run],
    );
    expect(row?.waited).toBeGreaterThanOrEqual(TTL_SECS);
    expect(session.status).toBe('failed');
    expect(session.status_reason).toContain('queue_ttl_expired');
    const events = await stack.timeline(run);
    expect(moves(events)).toEqual(['queued', 'finalizing', 'failed']);
    expect(eventsOf(events, 'artifact.missing')).toEqual([]);
    expect(existsSync(join(stack.dataDir, 'runs', run))).toBe(false);
    expect((await stack.session(blocker.id)).status).toBe('awaiting_approval');
  }, 180_000);

  it('CP-143 expires also when no worker was up at that instant', async () => {
    await block();
    const run = await enqueue('worker-bee', quick);
    const worker = -pidOf(stack.installation, 'worker');
    process.kill(worker, 'SIGSTOP');
    try {
      await delay((TTL_SECS + 1) * 1000);
      expect((await stack.session(run)).status).toBe('queued');
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    expect((await stack.untilTerminal(run)).status_reason).toContain('queue_ttl_expired');
  }, 180_000);

  it('CP-141 is cancelled without ever having touched a sandbox, and the next one is not held up', async () => {
    const blocker = await block();
    const run = await enqueue('worker-bee', quick);
    const next = await enqueue('worker-bee', quick);
    expect(await stack.json('POST', `/v1/sessions/${run}/cancel`)).toEqual({ cancelled: true });
    const session = await stack.untilTerminal(run);
    expect(session).toMatchObject({ status: 'cancelled', status_reason: 'cancelled by user' });
    expect(moves(await stack.timeline(run))).toEqual(['queued', 'finalizing', 'cancelled']);
    const [row] = await database.query<object>('select host_id, admitted_at, started_at from sessions where id = $1', [
      run,
    ]);
    expect(row).toEqual({ host_id: null, admitted_at: null, started_at: null });
    expect(existsSync(join(stack.dataDir, 'runs', run))).toBe(false);
    await blocker.letGo();
    expect((await stack.untilTerminal(next)).status).toBe('completed');
  }, 180_000);

  it('CP-075 spends nothing of its wall clock while it waits', async () => {
    const blocker = await block();
    const run = await enqueue('brief', quick);
    await delay((BRIEF_SECS + 1) * 1000);
    await blocker.letGo();
    expect((await stack.untilTerminal(run)).status).toBe('completed');
    expect(eventsOf(await stack.timeline(run), 'budget.warning')).toEqual([]);
  }, 180_000);

  it('CP-075 warns of the wall clock once, ends when it is over, and keeps the diff', async () => {
    const run = await stack.startRun('brief', long);
    const session = await stack.untilTerminal(run);
    expect(session).toMatchObject({ status: 'budget_exceeded', status_reason: 'wall-clock budget exceeded' });
    const events = await stack.timeline(run);
    const known = { budget: 'max_wall_clock_secs', limit: String(BRIEF_SECS), spent: expect.stringMatching(/^\d+$/) };
    const [[warned], [exceeded]] = [eventsOf(events, 'budget.warning'), eventsOf(events, 'budget.exceeded')];
    for (const type of ['budget.warning', 'budget.exceeded']) expect(eventsOf(events, type)).toEqual([known]);
    // At 80 % and at the whole; a busy machine may write them later, and never sooner.
    expect(Number(warned?.['spent'])).toBeGreaterThanOrEqual(Math.floor(BRIEF_SECS * 0.8));
    expect(Number(exceeded?.['spent'])).toBeGreaterThanOrEqual(BRIEF_SECS);
    const { artifacts } = await stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${run}/artifacts`,
    );
    expect(artifacts.find((artifact) => artifact.kind === 'diff')?.content).toContain('+evidence');
  }, 180_000);

  // Uids are claimed where the control plane is root; elsewhere a host without disk space shows the same path.
  (asRoot ? it : it.skip)(
    'CP-140 goes back there when its host is full, without its place, and is launched when there is room',
    async () => {
      const makeRoom = await database.fillHost();
      let run: string;
      try {
        run = await stack.startRun('worker-bee', quick);
        await stack.until('a launch to be refused', 60_000, async () =>
          moves(await stack.timeline(run)).includes('queued') ? true : undefined,
        );
        // For a second; then it is tried again.
        await stack.until('its place to be given back', 30_000, async () => {
          const { counted, held } = await database.capacity();
          return counted === 0 && held === 0 ? true : undefined;
        });
      } finally {
        await makeRoom();
      }
      expect((await stack.untilTerminal(run)).status).toBe('completed');
      const events = await stack.timeline(run);
      expect(moves(events).slice(0, 3)).toEqual(['provisioning', 'queued', 'provisioning']);
      expect(eventsOf(events, 'session.status_changed')[1]?.['reason']).toContain(
        'out of capacity: no free sandbox uid',
      );
    },
    180_000,
  );

  (asRoot ? it : it.skip)(
    'CP-140 fails with capacity_exhausted_max_attempts when its host stays full',
    async () => {
      const makeRoom = await database.fillHost();
      try {
        const run = await stack.startRun('worker-bee', quick);
        const session = await stack.untilTerminal(run);
        expect(session.status).toBe('failed');
        expect(session.status_reason).toContain('capacity_exhausted_max_attempts');
        expect(eventsOf(await stack.timeline(run), 'run.error')).toHaveLength(1);
      } finally {
        await makeRoom();
      }
    },
    180_000,
  );
});
