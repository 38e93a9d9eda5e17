import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { residentMb, type BenchStack } from '../bench-stack.js';
import { atLeast, atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

const AGENT = 'bench-many';
/** A command, then one that waits for a human: so all runs are there at once before the first may end. */
const TASK = JSON.stringify([
  { tool: 'Bash', input: { command: 'echo working > note.txt' } },
  { tool: 'Bash', input: { command: 'sh deploy.sh' } },
  { say: 'done' },
]);
const POLL_MS = 250;

/** 200 runs at once on the replay harness, none lost, and what the API and the worker hold in memory. */
export const manyRuns: BenchRow = {
  name: 'runs-at-once',
  timeoutMs: 240_000,
  async measure(stack, { quick }) {
    const count = quick ? 8 : 200;
    await stack.json('POST', '/v1/agents', { name: AGENT, harness: 'replay', policy: 'standard' });
    const idle = memory(stack);
    const watch = new MemoryWatch(stack);
    const startedAt = performance.now();
    const ids = await inParallel(Array.from({ length: count }), 16, () => createRun(stack));
    await untilStatus(stack, ids, ['awaiting_approval'], watch);
    const allThereAt = performance.now();
    const loaded = memory(stack);
    await inParallel(await pendingApprovals(stack, ids), 8, (id) =>
      stack.json('POST', `/v1/approvals/${id}/decision`, { decision: 'approved_once' }),
    );
    await untilStatus(stack, ids, ['completed', 'failed', 'cancelled', 'budget_exceeded'], watch);
    const endedAt = performance.now();
    const completed = await countWhole(stack, ids);
    await delay(1000);
    const left = ids.filter((id) => readdirSync(join(stack.dataDir, 'runs')).includes(id)).length;
    return {
      values: {
        runs: count,
        completed,
        left_behind: left,
        idle_api: idle.api,
        idle_worker: idle.worker,
        idle: idle.api + idle.worker,
        loaded_api: loaded.api,
        loaded_worker: loaded.worker,
        loaded: loaded.api + loaded.worker,
        peak: watch.peak,
        until_all_wait: (allThereAt - startedAt) / 1000,
        until_all_ended: (endedAt - allThereAt) / 1000,
      },
      unit: {
        runs: 'runs',
        completed: 'runs with a whole ledger and a diff',
        left_behind: 'sandboxes',
        idle_api: 'MiB',
        idle_worker: 'MiB',
        idle: 'MiB',
        loaded_api: 'MiB',
        loaded_worker: 'MiB',
        loaded: 'MiB',
        peak: 'MiB',
        until_all_wait: 's',
        until_all_ended: 's',
      },
      baseline: { bare_node_process: residentMb(stack.provider.pid) },
      targets: [
        atLeast('completed', completed, count, 'runs'),
        atMost('resident memory, idle', idle.api + idle.worker, 400, 'MiB'),
        atMost('resident memory, peak', watch.peak, 600, 'MiB'),
        atMost('sandboxes left behind', left, 0, ''),
      ],
      notes: [
        'all runs wait for a human at the same time before the first is released',
        'baseline: a Node process with an HTTP server',
      ],
    };
  },
};

interface Memory {
  api: number;
  worker: number;
}

function memory(stack: BenchStack): Memory {
  return { api: stack.residentMb('api'), worker: stack.residentMb('worker') };
}

class MemoryWatch {
  peak = 0;

  constructor(private readonly stack: BenchStack) {}

  look(): void {
    const { api, worker } = memory(this.stack);
    this.peak = Math.max(this.peak, api + worker);
  }
}

async function createRun(stack: BenchStack): Promise<string> {
  const { session } = await stack.json<{ session: { id: string } }>('POST', '/v1/sessions', {
    agent: AGENT,
    task: TASK,
  });
  return session.id;
}

async function untilStatus(stack: BenchStack, ids: string[], wanted: string[], watch: MemoryWatch): Promise<void> {
  for (;;) {
    watch.look();
    const { rows } = await stack.owner.query<{ status: string; runs: string; reason: string | null }>(
      `select status, count(*) as runs, min(status_reason) as reason from sessions where id = any($1) group by status`,
      [ids],
    );
    if (rows.every((row) => wanted.includes(row.status))) return;
    const lost = rows.find((row) => ['failed', 'cancelled', 'budget_exceeded'].includes(row.status));
    if (lost !== undefined) throw new Error(`${lost.runs} runs are ${lost.status}: ${lost.reason}`);
    await delay(POLL_MS);
  }
}

async function pendingApprovals(stack: BenchStack, ids: string[]): Promise<string[]> {
  const { rows } = await stack.owner.query<{ id: string }>(
    `select id from approvals where session_id = any($1) and status = 'pending'`,
    [ids],
  );
  return rows.map((row) => row.id);
}

/** Runs that completed with a gapless ledger, a result and a collected diff. */
async function countWhole(stack: BenchStack, ids: string[]): Promise<number> {
  const { rows } = await stack.owner.query<{ whole: string }>(
    `select count(*) as whole from sessions s
      where s.id = any($1) and s.status = 'completed'
        and exists (select 1 from events e where e.session_id = s.id and e.type = 'run.result')
        and (select count(*) = max(seq) from events e where e.session_id = s.id)
        and exists (select 1 from artifacts a where a.session_id = s.id and a.kind = 'diff' and a.size_bytes > 0)`,
    [ids],
  );
  return Number(rows[0]?.whole);
}

async function inParallel<T, R>(items: T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lanes = Array.from({ length: width }, async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index]!);
    }
  });
  await Promise.all(lanes);
  return results;
}
