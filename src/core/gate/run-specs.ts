import { LRUCache } from 'lru-cache';
import { SandgateError } from '../../domain/errors.js';
import { ToolSet, type FrozenCallable } from '../../domain/gate/tool-set.js';
import type { GateSpec } from '../../domain/gate/gate-verdict.js';
import { unusableSchemaReason } from '../../domain/gate/messages.js';
import { ENDED_VALIDATOR } from '../../domain/gate/schema-finding.js';
import { guardSchema, type GuardedSchema } from '../../domain/gate/schema-limits.js';
import type { RunSpec } from '../../domain/run/spec.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { SessionEntity } from '../runs/session.entity.js';
import { CompiledPolicies } from './compiled-policies.js';

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
export class RunSpecs {
  private readonly known = new LRUCache<string, Promise<FrozenRun>>({ max: MAX_REMEMBERED });
  private readonly policies = new CompiledPolicies();

  constructor(private readonly database: Database) {}

  /** Throws `not_found` when the organization has no such run. */
  get(organizationId: string, runId: string): Promise<FrozenRun> {
    const known = this.known.get(runId);
    if (known !== undefined) return known;
    const loading = this.load(organizationId, runId);
    this.known.set(runId, loading);
    loading.catch(() => this.forget(runId));
    return loading;
  }

  forget(runId: string): void {
    this.known.delete(runId);
  }

  private async load(organizationId: string, runId: string): Promise<FrozenRun> {
    return this.database.withTenant(organizationId, (tx) => this.read(tx, runId));
  }

  private async read(tx: TenantTransaction, runId: string): Promise<FrozenRun> {
    const row = await tx.manager.findOne(SessionEntity, {
      select: { id: true, run_spec: true, run_spec_digest: true, traceparent: true },
      where: { id: runId },
    });
    if (row === null) throw new SandgateError('not_found', 'not found');
    const spec = row.run_spec as RunSpec;
    const holdsTools = spec.capabilities !== undefined || spec.brokered !== undefined;
    const ended = holdsTools ? await readEndedValidators(tx, runId) : undefined;
    return {
      digest: row.run_spec_digest,
      traceparent: row.traceparent,
      spec,
      schemas: new RunSchemas(ended),
      gate: {
        policy: this.policies.of(spec.policy_snapshot, spec.policy_engine),
        tools: new ToolSet(spec.capabilities, spec.brokered),
        autonomy: spec.autonomy,
        trustTier: spec.trust_tier,
      },
    };
  }
}

/** What is known about the schemas of one run. */
class RunSchemas {
  private readonly guarded = new Map<string, GuardedSchema>();

  /** @param unusable reasons by name, for tools that are known to be unusable in this run */
  constructor(private readonly unusable: Map<string, string> = new Map()) {}

  /** Whether its schema needs no counting any more. */
  knows(tool: FrozenCallable): boolean {
    return this.guarded.has(tool.name) || this.unusable.has(tool.name);
  }

  /** The schema's text within the limits, or why the tool cannot be called in this run any more. */
  of(tool: FrozenCallable): GuardedSchema {
    const reason = this.unusable.get(tool.name);
    if (reason !== undefined) return { kind: 'refused', reason };
    const guarded = this.guarded.get(tool.name) ?? guardSchema(tool.schema);
    this.guarded.set(tool.name, guarded);
    return guarded;
  }

  condemn(tool: FrozenCallable, reason: string): void {
    this.unusable.set(tool.name, reason);
  }
}

/**
 * The tools of a run whose validator had to be ended, with the reason, so that they stay unusable for a process that reads
 * the run anew (docs/design/gate.md). The recorded denials are the only record of it.
 */
async function readEndedValidators(tx: TenantTransaction, runId: string): Promise<Map<string, string>> {
  const reasons = new Map(Object.values(ENDED_VALIDATOR).map((reason) => [unusableSchemaReason(reason), reason]));
  const rows = await tx.query<{ tool: string; reason: string }>('select * from svc_list_ended_validators($1, $2)', [
    runId,
    [...reasons.keys()],
  ]);
  return new Map(rows.map(({ tool, reason }) => [tool, reasons.get(reason) ?? reason]));
}
