import { LRUCache } from 'lru-cache';
import { SandgateError } from '../../domain/errors.js';
import { findBinding } from '../bindings/resource-bindings.js';
import {
  bindingProblem,
  authorityProblem,
  checkAuthorization,
  authorizationProblem,
  type CurrentAuthority,
} from '../bindings/recheck-binding.js';
import type { JsonObject } from '../../domain/json.js';
import type { RunSpec } from '../../domain/run/spec.js';
import type { BrokeredCall } from './claims.js';
import type { Database, TenantTransaction } from '../record/database.js';
import type { CallTarget } from './upstream-call.js';

const MAX_REMEMBERED = 2000;

interface Run {
  organizationId: string;
  runId: string;
}

/** The authority behind a call: still valid, refused for the given reason, or never bound. */
export type Authority =
  | { kind: 'stands'; target: CallTarget }
  | { kind: 'refused'; text: string }
  | { kind: 'unbound' };

/** A target with the authority that passed its last authorization check. */
export interface CheckedTarget {
  target: CallTarget;
  current: JsonObject;
}

const NONE: ReadonlyMap<string, CheckedTarget> = new Map();

/**
 * Tool sets and bindings of runs. Neither ever changes, so one read serves every call of a slot; whether the binding may still be
 * used is asked each time (docs/design/connections.md).
 */
export class CallTargets {
  private readonly known = new LRUCache<string, CallTarget>({ max: MAX_REMEMBERED });
  /** By session and binding: the authority that was last found good. */
  private readonly checkedOfRuns = new LRUCache<string, Map<string, CheckedTarget>>({ max: MAX_REMEMBERED });

  constructor(private readonly database: Database) {}

  /** The authority behind a call that was just read; one read per slot, run and process. */
  async authorityBehind(run: Run, slot: string, { bound }: Pick<BrokeredCall, 'bound'>): Promise<Authority> {
    const target = this.known.get(keyOf(run.runId, slot));
    if (target === undefined || target.binding.id !== bound?.bindingId) return this.authorityOf(run, slot);
    const problem = authorityProblem(target.binding, bound.current as CurrentAuthority | null);
    if (problem !== null) return { kind: 'refused', text: problem };
    if (bound.current !== null) this.noteChecked(target, bound.current);
    return { kind: 'stands', target };
  }

  /** The authorities of a run that last passed, by binding id. They remain valid as long as they do not change. */
  checked(runId: string): ReadonlyMap<string, CheckedTarget> {
    return this.checkedOfRuns.get(runId) ?? NONE;
  }

  /** The authority of a slot at this moment. */
  authorityOf(run: Run, slot: string): Promise<Authority> {
    return this.database.withTenant(run.organizationId, async (tx) => {
      const target = this.known.get(keyOf(run.runId, slot)) ?? (await this.load(tx, run.runId, slot));
      if (target === null) return { kind: 'unbound' };
      const problem = await bindingProblem(tx, target.binding);
      return problem === null ? { kind: 'stands', target } : { kind: 'refused', text: problem };
    });
  }

  /** Why a call whose claim is taken must not be sent any more, or null. One round trip. */
  async whyNotToSend({ organizationId, runId, binding }: CallTarget): Promise<string | null> {
    const checked = await checkAuthorization(this.database, organizationId, { runId, bindingId: binding.id });
    return authorizationProblem(binding, checked);
  }

  /** Forgets a run that is over. */
  forget(runId: string): void {
    for (const key of [...this.known.keys()]) if (key.startsWith(`${runId} `)) this.known.delete(key);
    this.checkedOfRuns.delete(runId);
  }

  private noteChecked(target: CallTarget, current: JsonObject): void {
    const ofRun = this.checkedOfRuns.get(target.runId) ?? new Map<string, CheckedTarget>();
    ofRun.set(target.binding.id, { target, current });
    this.checkedOfRuns.set(target.runId, ofRun);
  }

  private async load(tx: TenantTransaction, runId: string, slot: string): Promise<CallTarget | null> {
    const [row] = await tx.query<{ brokered: RunSpec['brokered'] | null }>(
      'select * from svc_read_brokered_tool_sets($1)',
      [runId],
    );
    if (row === undefined) throw new SandgateError('not_found', 'no such run');
    const toolSet = row.brokered?.find((one) => one.slot === slot);
    const binding = await findBinding(tx, { runId, slotKind: 'mcp', slot });
    if (toolSet === undefined || binding === null || binding.id !== toolSet.binding_id) return null;
    const target = { organizationId: tx.organizationId, runId, binding, toolSet };
    this.known.set(keyOf(runId, slot), target);
    return target;
  }
}

function keyOf(runId: string, slot: string): string {
  return `${runId} ${slot}`;
}
