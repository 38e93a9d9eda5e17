import { SandgateError } from '../../domain/errors.js';
import { compileDocument, type CompiledPolicy } from '../../domain/policy/compile-policy.js';
import type { PolicyDocument } from '../../domain/policy/document.js';
import {
  judgeTwice,
  type JudgedCall,
  type UnknownCall,
  type UnknownCause,
} from '../../domain/simulation/judge-twice.js';
import { readPolicyView } from '../../domain/simulation/policy-view.js';
import type { RestingValue } from '../../platform/seal/sealer.js';
import type { Database } from '../../core/record/database.js';
import type { ToolCallPayloads } from '../../core/gate/tool-call-payloads.js';
import { CallWalk, type WalkedCall } from './call-walk.js';
import type { CallFilter } from '../../core/simulation/recorded-calls.js';
import { TimeSlices } from './time-slices.js';

/** What is tried against what. */
export interface Simulation {
  organizationId: string;
  draft: PolicyDocument;
  filter: CallFilter;
  /** Calls to examine at most. */
  limit: number;
  /** Milliseconds after which the examination ends. */
  maxMs: number;
  /** Days for which views are kept; older calls have expired. */
  historyDays: number;
  /** Aborts when the caller goes away. */
  signal: AbortSignal;
}

const MS_PER_DAY = 86_400_000;

/** The recorded calls of a simulation, each judged by the policy that its run froze and by the draft. To be iterated once. */
export class JudgedCalls implements AsyncIterable<JudgedCall | UnknownCall> {
  /** Why the iteration ended before the last matching call, and how many calls it left. */
  stopped: 'limit' | 'time' | null = null;
  notExamined = 0;
  /** Views that would not open. */
  unreadable = 0;
  private readonly draft: CompiledPolicy;
  private readonly keptSince: number;

  constructor(
    private readonly database: Database,
    private readonly payloads: ToolCallPayloads,
    private readonly simulation: Simulation,
  ) {
    this.draft = compileDocument(simulation.draft);
    this.keptSince = Date.now() - simulation.historyDays * MS_PER_DAY;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JudgedCall | UnknownCall> {
    const { organizationId, filter, limit, maxMs, signal } = this.simulation;
    const walk = new CallWalk(this.database, organizationId, filter);
    const slices = new TimeSlices();
    const deadline = performance.now() + maxMs;
    for (let left = limit; left > 0;) {
      const page = await walk.next(left);
      if (page.length === 0) return;
      left -= page.length;
      for (const [i, walked] of page.entries()) {
        if (signal.aborted) throw new SandgateError('unavailable', 'the caller went away');
        if (performance.now() > deadline) {
          this.stopped = 'time';
          this.notExamined = page.length - i + (await walk.countRest());
          return;
        }
        await slices.rest();
        yield await this.judge(walked);
      }
    }
    this.notExamined = await walk.countRest();
    if (this.notExamined > 0) this.stopped = 'limit';
  }

  private async judge({ call, row, frozen }: WalkedCall): Promise<JudgedCall | UnknownCall> {
    if (row.sealed === null || row.key_version === null) {
      return unknown(call, row.requested_at.getTime() < this.keptSince ? 'expired' : 'not_kept');
    }
    const text = await this.open(call.run.runId, call.toolCallId, {
      sealed: row.sealed,
      keyVersion: row.key_version,
    });
    const view = text === null ? null : readPolicyView(text);
    if (view === null) {
      this.unreadable += 1;
      return unknown(call, 'unreadable');
    }
    return frozen === null ? unknown(call, 'policy_unreadable') : judgeTwice(call, view, frozen, this.draft);
  }

  /** Null when the bytes do not open in this place. A missing key fails the whole simulation. */
  private async open(runId: string, toolCallId: string, value: RestingValue): Promise<string | null> {
    const key = { organizationId: this.simulation.organizationId, runId, toolCallId, kind: 'policy_view' as const };
    try {
      return await this.payloads.openResting(key, value);
    } catch (error) {
      if (error instanceof SandgateError && error.code === 'internal') return null;
      throw error;
    }
  }
}

function unknown(call: WalkedCall['call'], cause: UnknownCause): UnknownCall {
  return { kind: 'unknown', call, cause };
}
