import { Injectable } from '@nestjs/common';
import { SandgateError } from '../../domain/errors.js';
import { FrozenSet } from '../../domain/gate/frozen-set.js';
import type { GateSpec } from '../../domain/gate/gate-verdict.js';
import { compileFrozenPolicy } from '../../domain/policy/compile-policy.js';
import type { RunSpec } from '../../domain/run/spec.js';
import { Database, type TenantTransaction } from '../record/database.js';
import { readEndedValidators } from './ended-validators.js';
import { RunSchemas } from './run-schemas.js';

/** The frozen specification of a run, ready to judge with. */
export interface FrozenRun {
  digest: string;
  spec: RunSpec;
  gate: GateSpec;
  schemas: RunSchemas;
  /** The trace in which the run was created, if any. */
  traceparent: string | null;
}

const MAX_REMEMBERED = 2000;

/**
 * Frozen specifications by run. A specification never changes, so one read serves every call; the database compares the
 * digest on each of them and says when a reload is due (docs/design/gate.md).
 */
@Injectable()
export class RunSpecs {
  private readonly known = new Map<string, Promise<FrozenRun>>();

  constructor(private readonly database: Database) {}

  /** Throws `not_found` when the organization has no such run. */
  get(organizationId: string, sessionId: string): Promise<FrozenRun> {
    const known = this.known.get(sessionId);
    if (known !== undefined) return known;
    if (this.known.size >= MAX_REMEMBERED) this.forgetOldest();
    const loading = this.load(organizationId, sessionId);
    this.known.set(sessionId, loading);
    loading.catch(() => this.forget(sessionId));
    return loading;
  }

  forget(sessionId: string): void {
    this.known.delete(sessionId);
  }

  private forgetOldest(): void {
    const [oldest] = this.known.keys();
    if (oldest !== undefined) this.known.delete(oldest);
  }

  private async load(organizationId: string, sessionId: string): Promise<FrozenRun> {
    return this.database.withTenant(organizationId, (tx) => this.read(tx, sessionId));
  }

  private async read(tx: TenantTransaction, sessionId: string): Promise<FrozenRun> {
    const [row] = await tx.query<{ run_spec: RunSpec; run_spec_digest: string; traceparent: string | null }>(
      'select run_spec, run_spec_digest, traceparent from sessions where id = $1',
      [sessionId],
    );
    if (row === undefined) throw new SandgateError('not_found', 'not found');
    const spec = row.run_spec;
    const holdsTools = spec.capabilities !== undefined || spec.brokered !== undefined;
    const ended = holdsTools ? await readEndedValidators(tx, sessionId) : undefined;
    return {
      digest: row.run_spec_digest,
      traceparent: row.traceparent,
      spec,
      schemas: new RunSchemas(ended),
      gate: {
        policy: compileFrozenPolicy(spec.policy_snapshot, spec.policy_engine),
        tools: new FrozenSet(spec.capabilities, spec.brokered),
        autonomy: spec.autonomy,
        trustTier: spec.trust_tier,
      },
    };
  }
}
