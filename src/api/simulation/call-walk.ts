import type { CompiledPolicy } from '../../domain/policy/compile-policy.js';
import { compilePolicy } from '../../domain/policy/compile-policy.js';
import { SandgateError } from '../../domain/errors.js';
import type { RecordedCall } from '../../domain/simulation/recorded-call.js';
import { recordedAnswer } from '../../domain/simulation/recorded-call.js';
import type { Database } from '../../core/record/database.js';
import { countCalls, readCalls, readRuns, readSnapshots } from '../../core/simulation/recorded-calls.js';
import type { CallCursor, CallFilter, CallRow, RunRow } from '../../core/simulation/recorded-calls.js';

/** Runs of one step; their calls are read by pages. */
const RUNS_PER_STEP = 100;
/** A view has up to 64 KiB, so this is 16 MiB at most. */
const CALLS_PER_PAGE = 250;
const MAX_COUNTED = 1_000_000;

/** A call as it was read: with its sealed view, and the policy that its run froze (null when that cannot be read). */
export interface WalkedCall {
  call: RecordedCall;
  row: CallRow;
  frozen: CompiledPolicy | null;
}

/**
 * Walks the recorded calls of one organization, runs with the newest ids first, in pages that each are one short transaction. Keyset
 * by run and call, so that calls that arrive meanwhile move nothing.
 */
export class CallWalk {
  private readonly policies = new Map<string, CompiledPolicy | null>();
  private runs: RunRow[] = [];
  private lastRun: string | null = null;
  private cursor: CallCursor | null = null;

  constructor(
    private readonly database: Database,
    private readonly organizationId: string,
    private readonly filter: CallFilter,
  ) {}

  /** The next calls, at most `most`; empty at the end. */
  async next(most: number): Promise<WalkedCall[]> {
    const limit = Math.min(most, CALLS_PER_PAGE);
    for (;;) {
      if (this.runs.length === 0 && !(await this.nextRuns())) return [];
      const rows = await this.database.withTenant(this.organizationId, (tx) =>
        readCalls(tx, this.remainingRuns(), this.filter, this.cursor, limit),
      );
      const calls = rows.map((row) => this.walked(row));
      const last = rows.at(-1);
      if (last !== undefined) this.cursor = { runId: last.session_id, toolCallId: last.tool_call_id };
      if (rows.length < limit) this.runs = [];
      if (calls.length > 0) return calls;
    }
  }

  /** How many matching calls `next` has not returned yet; at most {@link MAX_COUNTED} are counted. */
  async countRest(): Promise<number> {
    let rest = 0;
    do {
      if (this.runs.length === 0) continue;
      const most = MAX_COUNTED - rest;
      rest += await this.database.withTenant(this.organizationId, (tx) =>
        countCalls(tx, this.remainingRuns(), this.filter, this.cursor, most),
      );
      this.runs = [];
    } while (rest < MAX_COUNTED && (await this.nextRuns()));
    return rest;
  }

  private async nextRuns(): Promise<boolean> {
    this.cursor = null;
    this.runs = await this.database.withTenant(this.organizationId, async (tx) => {
      const runs = await readRuns(tx, this.filter, this.lastRun, RUNS_PER_STEP);
      const unread = new Map<string, RunRow>();
      for (const run of runs) if (!this.policies.has(policyKey(run))) unread.set(policyKey(run), run);
      const snapshots = await readSnapshots(
        tx,
        [...unread.values()].map((run) => run.id),
      );
      for (const [key, run] of unread) this.policies.set(key, compileFrozen(snapshots.get(run.id), run));
      return runs;
    });
    this.lastRun = this.runs.at(-1)?.id ?? this.lastRun;
    return this.runs.length > 0;
  }

  /** Ids are lower-case and of one length, so their texts sort as they do. */
  private remainingRuns(): string[] {
    const { cursor } = this;
    const rest = cursor === null ? this.runs : this.runs.filter((run) => run.id <= cursor.runId);
    return rest.map((run) => run.id);
  }

  private walked(row: CallRow): WalkedCall {
    const run = this.runs.find(({ id }) => id === row.session_id);
    if (run === undefined) throw new Error('a call of a run that was not asked for');
    const call: RecordedCall = {
      run: {
        runId: run.id,
        agent: run.agent_name ?? '',
        autonomy: run.autonomy,
        policyVersion: run.policy_version,
      },
      toolCallId: row.tool_call_id,
      tool: row.tool,
      summary: row.summary,
      requestedAt: row.requested_at.toISOString(),
      recorded: recordedAnswer(row),
    };
    return { call, row, frozen: this.policies.get(policyKey(run)) ?? null };
  }
}

function policyKey(run: RunRow): string {
  return `${run.policy_engine}:${run.snapshot_digest ?? ''}`;
}

/** Compiled once per distinct policy, however many runs froze it; null when this version cannot evaluate it. */
function compileFrozen(snapshot: Parameters<typeof compilePolicy>[0] | undefined, run: RunRow): CompiledPolicy | null {
  if (snapshot === undefined || snapshot === null) return null;
  try {
    return compilePolicy(snapshot, run.policy_engine);
  } catch (error) {
    if (error instanceof SandgateError) return null;
    throw error;
  }
}
