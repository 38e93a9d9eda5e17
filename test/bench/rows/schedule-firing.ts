import { setTimeout as delay } from 'node:timers/promises';
import { BenchStack } from '../bench-stack.js';
import { spreadOf } from '../load/percentiles.js';
import { atMost } from '../row.js';
import type { AloneRow } from './bench-row.js';

const SCHEDULES = 1000;
/** So many of them are due in each second of the measured time. */
const DUE_A_SECOND = 5;
const AT_ONCE = 16;
/** Before the first one is due, so that all are there by then. */
const LEAD_SECS = 20;

/** A due moment → its run on the record, with many schedules of which few are due at a time. */
export const scheduleFiring: AloneRow = {
  name: 'schedule-firing',
  timeoutMs: 300_000,
  async measureAlone({ quick }) {
    await using stack = await BenchStack.start({ SERVICE_CAPACITY_GLOBAL_MAX_ACTIVE: '1' });
    await stack.json('POST', '/v1/agents', { name: 'bench-clock', harness: 'replay', policy: 'standard' });
    const seconds = quick ? 3 : 40;
    const due = seconds * DUE_A_SECOND;
    await inParallel(
      Array.from({ length: (quick ? 50 : SCHEDULES) - due }, (_, index) => index),
      (index) =>
        // In the night of a day that is months away.
        schedule(stack, `far ${index}`, `${index % 60} 3 ${(index % 28) + 1} ${farMonth()} *`),
    );
    const from = Math.ceil(Date.now() / 1000) + LEAD_SECS;
    await inParallel(
      Array.from({ length: due }, (_, index) => index),
      (index) => schedule(stack, `due ${index}`, cronAt(from + Math.floor(index / DUE_A_SECOND))),
    );
    await delay((from + seconds) * 1000 - Date.now() + 5000);
    const { rows } = await stack.owner.query<{ late_ms: number }>(
      `select extract(epoch from created_at - (trigger -> 'attributes' ->> 'fire_time')::timestamptz)::float8 * 1000 as late_ms
         from sessions where invoked_by_kind = 'schedule'`,
    );
    if (rows.length < due) throw new Error(`${rows.length} of ${due} schedules fired`);
    const late = spreadOf(rows.map((row) => row.late_ms));
    return {
      values: { p50: late.p50, p99: late.p99, max: late.max, firings: late.count },
      unit: { p50: 'ms', p99: 'ms', max: 'ms', firings: 'runs' },
      baseline: {},
      targets: [atMost('p99', late.p99, 1500, 'ms')],
      notes: [
        `${quick ? 50 : SCHEDULES} schedules, ${DUE_A_SECOND} of them due in each of ${seconds} seconds; from the second that they are due to the row of the run`,
      ],
    };
  },
};

function schedule(stack: BenchStack, name: string, cron: string): Promise<object> {
  const trigger = { agent: 'bench-clock', name, task_template: '[]', schedule: { cron, timezone: 'UTC' } };
  return stack.json('POST', '/v1/triggers', trigger);
}

/** Once, at that second of the clock. */
function cronAt(second: number): string {
  const at = new Date(second * 1000);
  const fields = [at.getUTCSeconds(), at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1];
  return `${fields.join(' ')} * ${at.getUTCFullYear()}`;
}

function farMonth(): number {
  return ((new Date().getUTCMonth() + 6) % 12) + 1;
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
