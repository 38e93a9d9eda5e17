import { LRUCache } from 'lru-cache';
import { SandgateError } from '../../domain/errors.js';
import { findBinding } from '../bindings/resource-bindings.js';
import {
  bindingProblem,
  liveProblem,
  readStanding,
  standingProblem,
  type LiveAuthority,
} from '../bindings/recheck-binding.js';
import type { JsonObject } from '../../domain/json.js';
import type { RunSpec } from '../../domain/run/spec.js';
import type { BrokeredCall } from './claims.js';
import type { Database, TenantTransaction } from '../record/database.js';
import type { CallTarget } from './upstream-call.js';

const MAX_REMEMBERED = 2000;

interface Run {
  organizationId: string;
  sessionId: string;
}

/** The authority behind a call: still valid, refused for the given reason, or never bound. */
export type Authority =
  { kind: 'stands'; target: CallTarget } | { kind: 'refused'; text: string } | { kind: 'unbound' };

/** A target with the authority that passed its last authorization check. */
export interface Standing {
  target: CallTarget;
  live: JsonObject;
}

const NONE: ReadonlyMap<string, Standing> = new Map();

/**
 * Tool sets and bindings of runs. Neither ever changes, so one read serves every call of a slot; whether the binding may still be
 * used is asked each time (docs/design/connections.md).
 */
export class CallTargets {
  private readonly known = new LRUCache<string, CallTarget>({ max: MAX_REMEMBERED });
  /** By session and binding: the authority that was last found good. */
  private readonly stood = new LRUCache<string, Map<string, Standing>>({ max: MAX_REMEMBERED });

  constructor(private readonly database: Database) {}

  /** The authority behind a call that was just read; one read per slot, run and process. */
  async authorityBehind(run: Run, slot: string, { bound }: Pick<BrokeredCall, 'bound'>): Promise<Authority> {
    const target = this.known.get(keyOf(run.sessionId, slot));
    if (target === undefined || target.binding.id !== bound?.bindingId) return this.authorityOf(run, slot);
    const problem = liveProblem(target.binding, bound.live as LiveAuthority | null);
    if (problem !== null) return { kind: 'refused', text: problem };
    if (bound.live !== null) this.noteStanding(target, bound.live);
    return { kind: 'stands', target };
  }

  /** The authorities of a run that last passed, by binding id. They remain valid as long as they do not change. */
  standing(sessionId: string): ReadonlyMap<string, Standing> {
    return this.stood.get(sessionId) ?? NONE;
  }

  /** The authority of a slot at this moment. */
  authorityOf(run: Run, slot: string): Promise<Authority> {
    return this.database.withTenant(run.organizationId, async (tx) => {
      const target = this.known.get(keyOf(run.sessionId, slot)) ?? (await this.load(tx, run.sessionId, slot));
      if (target === null) return { kind: 'unbound' };
      const problem = await bindingProblem(tx, target.binding);
      return problem === null ? { kind: 'stands', target } : { kind: 'refused', text: problem };
    });
  }

  /** Why a call whose claim is taken must not be sent any more, or null. One round trip. */
  async whyNotToSend({ organizationId, sessionId, binding }: CallTarget): Promise<string | null> {
    const standing = await readStanding(this.database, organizationId, { sessionId, bindingId: binding.id });
    return standingProblem(binding, standing);
  }

  /** Forgets a run that is over. */
  forget(sessionId: string): void {
    for (const key of [...this.known.keys()]) if (key.startsWith(`${sessionId} `)) this.known.delete(key);
    this.stood.delete(sessionId);
  }

  private noteStanding(target: CallTarget, live: JsonObject): void {
    const ofRun = this.stood.get(target.sessionId) ?? new Map<string, Standing>();
    ofRun.set(target.binding.id, { target, live });
    this.stood.set(target.sessionId, ofRun);
  }

  private async load(tx: TenantTransaction, sessionId: string, slot: string): Promise<CallTarget | null> {
    const [row] = await tx.query<{ brokered: RunSpec['brokered'] | null }>(
      'select * from svc_read_brokered_surfaces($1)',
      [sessionId],
    );
    if (row === undefined) throw new SandgateError('not_found', 'no such run');
    const surface = row.brokered?.find((one) => one.slot === slot);
    const binding = await findBinding(tx, { sessionId, slotKind: 'mcp', slot });
    if (surface === undefined || binding === null || binding.id !== surface.binding_id) return null;
    const target = { organizationId: tx.organizationId, sessionId, binding, surface };
    this.known.set(keyOf(sessionId, slot), target);
    return target;
  }
}

function keyOf(sessionId: string, slot: string): string {
  return `${sessionId} ${slot}`;
}
