import type { BenchStack } from '../bench-stack.js';
import { rawBubblewrap, rawNode } from '../load/first-output.js';
import { spreadOf } from '../load/percentiles.js';
import { rawTemporalStarts } from '../load/raw-temporal.js';
import { atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

const AGENT = 'bench-start';
/** Notes when the API recorded each heartbeat: the record itself keeps the last one only. */
const NOTE_HEARTBEATS = `
  create schema if not exists bench_start;
  create table bench_start.heartbeats (session_id uuid not null, at timestamptz not null default clock_timestamp());
  create function bench_start.note() returns trigger language plpgsql as $$
    begin
      insert into bench_start.heartbeats (session_id) values (new.session_id);
      return null;
    end $$;
  grant usage on schema bench_start to sandgate_app;
  grant insert on bench_start.heartbeats to sandgate_app;
  create trigger bench_start after update of last_heartbeat_at on session_heads for each row
    when (current_setting('application_name') = 'sandgate-heartbeats') execute function bench_start.note()`;
const FORGET_HEARTBEATS = 'drop trigger bench_start on session_heads; drop schema bench_start cascade';

/** Create run → the runner's first heartbeat, on a warm installation that does nothing else. */
export const runStart: BenchRow = {
  name: 'run-start',
  timeoutMs: 90_000,
  async measure(stack, { quick }) {
    await stack.json('POST', '/v1/agents', { name: AGENT, harness: 'replay', policy: 'standard' });
    const count = quick ? 3 : 15;
    await stack.owner.query(NOTE_HEARTBEATS);
    for (let index = 0; index < 2; index += 1) await startOnce(stack);
    const starts: Start[] = [];
    for (let index = 0; index < count; index += 1) starts.push(await startOnce(stack));
    await stack.owner.query(FORGET_HEARTBEATS);
    const ours = spreadOf(starts.map((start) => start.heartbeat));
    const [temporal, bwrap, node] = [
      spreadOf(await rawTemporalStarts(stack.installation.temporalAddress, count)),
      spreadOf(await repeat(count, rawBubblewrap)),
      spreadOf(await repeat(count, rawNode)),
    ];
    const sum = temporal.p50 + bwrap.p50 + node.p50;
    return {
      values: {
        p50: ours.p50,
        max: ours.max,
        ratio: ours.p50 / sum,
        until_initializing: median(starts, 'initializing'),
        until_workspace: median(starts, 'workspace'),
        until_running: median(starts, 'running'),
        until_first_line: median(starts, 'firstLine'),
      },
      unit: {
        p50: 'ms',
        max: 'ms',
        ratio: '× the sum of the raw parts',
        until_initializing: 'ms',
        until_workspace: 'ms',
        until_running: 'ms',
        until_first_line: 'ms',
      },
      baseline: { sum, temporal_start_to_activity: temporal.p50, bubblewrap: bwrap.p50, node: node.p50 },
      targets: [atMost('first heartbeat', ours.p50, 1.5 * sum, 'ms')],
      notes: ['from sending POST /v1/sessions to the first heartbeat of the runner on the record'],
    };
  },
};

interface Start {
  initializing: number;
  workspace: number;
  running: number;
  heartbeat: number;
  /** The runner's first line in the ledger. */
  firstLine: number;
}

interface Event {
  type: string;
  actor: string;
  occurred_at: string;
  payload: { data: { to?: string } };
}

async function startOnce(stack: BenchStack): Promise<Start> {
  const sentAt = Date.now();
  const { session } = await stack.json<{ session: { id: string } }>('POST', '/v1/sessions', {
    agent: AGENT,
    task: '[{"say":"here"}]',
  });
  // The record has the times; looking often would only take processor from what is measured.
  for (let looks = 0; looks < 300; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const read = await stack.json<{ session: { status: string } }>('GET', `/v1/sessions/${session.id}`);
    if (read.session.status === 'completed') break;
    if (['failed', 'cancelled'].includes(read.session.status)) throw new Error('a run of the benchmark failed');
  }
  const { events } = await stack.json<{ events: Event[] }>('GET', `/v1/sessions/${session.id}/events`);
  const { rows } = await stack.owner.query<{ at: Date }>(
    'select min(at) as at from bench_start.heartbeats where session_id = $1',
    [session.id],
  );
  const at = (found: (event: Event) => boolean): number => {
    const event = events.find(found);
    if (event === undefined) throw new Error('a run of the benchmark left no trace of its start');
    return Date.parse(event.occurred_at) - sentAt;
  };
  return {
    initializing: at((event) => event.payload.data.to === 'initializing'),
    workspace: at((event) => event.type === 'workspace.initialized'),
    running: at((event) => event.payload.data.to === 'running'),
    heartbeat: rows[0]!.at.getTime() - sentAt,
    firstLine: at((event) => event.actor === 'harness'),
  };
}

function median(starts: Start[], step: keyof Start): number {
  return spreadOf(starts.map((start) => start[step])).p50;
}

async function repeat(count: number, measure: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) times.push(await measure());
  return times;
}
