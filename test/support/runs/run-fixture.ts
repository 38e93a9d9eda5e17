import { v7 as uuidv7 } from 'uuid';
import { toolsDigest } from '../../../src/domain/capabilities/tools-digest.js';
import { digestOf } from '../../../src/domain/digest/digest.js';
import type { JsonValue } from '../../../src/domain/json.js';
import type { BrokeredToolSet, Budgets, FrozenTool } from '../../../src/domain/run/spec.js';
import type { RunStatus } from '../../../src/domain/run/status.js';
import type { Database } from '../../../src/core/record/database.js';
import { digestRunToken, mintRunTokens, type Audience } from '../../../src/core/runs/tokens.js';
import type { GateCall } from '../../../src/core/gate/gate.js';

export interface FixtureOrganization {
  organizationId: string;
  agentId: string;
  revisionId: string;
  policyId: string;
}

export interface FixtureRun extends FixtureOrganization {
  runId: string;
  runSpecDigest: string;
  tokens: Record<Audience, string>;
}

/** An organization with one policy, one agent and one revision, and nothing else. */
export async function createOrganization(db: Database): Promise<FixtureOrganization> {
  const organizationId = uuidv7();
  const [policyId, agentId, revisionId] = [uuidv7(), uuidv7(), uuidv7()];
  await db.withTenant(organizationId, async (tx) => {
    await tx.query('insert into tenants (id, slug, name) values ($1, $2, $2)', [
      organizationId,
      `org-${organizationId}`,
    ]);
    await tx.query('insert into policies (id, tenant_id, name) values ($1, $2, $3)', [
      policyId,
      organizationId,
      'default',
    ]);
    await tx.query(
      `insert into policy_versions (id, tenant_id, policy_id, version, content, author) values ($1, $2, $3, 1, '{}', 'seed')`,
      [uuidv7(), organizationId, policyId],
    );
    await tx.query('insert into agents (id, tenant_id, name) values ($1, $2, $3)', [agentId, organizationId, 'fixer']);
    await tx.query(
      `insert into agent_revisions (id, tenant_id, agent_id, rev, harness, model, policy_id)
       values ($1, $2, $3, 1, 'replay', 'none', $4)`,
      [revisionId, organizationId, agentId, policyId],
    );
  });
  return { organizationId, agentId, revisionId, policyId };
}

/** A run in the given status, with live tokens. */
export async function createRun(
  db: Database,
  options: {
    in?: FixtureOrganization;
    status?: RunStatus;
    sandboxHandle?: boolean;
    budgets?: Partial<Budgets>;
    /** Slots with a brokered tool set. */
    brokered?: string[];
    harness?: string;
    /** Further members of the specification. */
    spec?: object;
  } = {},
): Promise<FixtureRun> {
  const organization = options.in ?? (await createOrganization(db));
  const { organizationId, agentId, revisionId } = organization;
  const runId = uuidv7();
  const brokered = (options.brokered ?? []).map(emptyToolSet) as unknown as JsonValue;
  const spec: JsonValue = {
    agent_name: 'fixer',
    harness: options.harness ?? 'replay',
    budgets: { ...options.budgets },
    brokered,
    ...(options.spec as { [member: string]: JsonValue } | undefined),
  };
  const runSpecDigest = digestOf(spec);
  const tokens = await db.withTenant(organizationId, async (tx) => {
    await tx.query(
      `insert into sessions (id, tenant_id, agent_id, agent_revision_id, status, autonomy, task, repo_source, run_spec,
                             run_spec_digest, sandbox_handle, queued_at)
       values ($1, $2, $3, $4, $5, 'supervised', 'a task', '{"kind":"scratch"}', $6, $7, $8,
               case when $5 = 'queued' then clock_timestamp() end)`,
      [
        runId,
        organizationId,
        agentId,
        revisionId,
        options.status ?? 'running',
        JSON.stringify(spec),
        runSpecDigest,
        options.sandboxHandle === true ? '{"runtime":"test","external_id":"x","attrs":{}}' : null,
      ],
    );
    await tx.query('insert into session_heads (session_id, tenant_id) values ($1, $2)', [runId, organizationId]);
    return mintRunTokens(tx, runId, 3600);
  });
  return { ...organization, runId, runSpecDigest, tokens };
}

/** The empty tool set of a slot. */
export function emptyToolSet(slot: string): BrokeredToolSet {
  return toolSetWith(slot, []);
}

/** The tool set of a slot with these tools. */
export function toolSetWith(slot: string, tools: FrozenTool[]): BrokeredToolSet {
  const url = 'https://mcp.example.com/';
  return { slot, url, binding_id: uuidv7(), snapshot_version: 1, tools, tools_digest: toolsDigest(tools) };
}

/** The stored form of one of the run's tokens. */
export function tokenDigest(run: FixtureRun, audience: Audience): string {
  return digestRunToken(run.tokens[audience]) ?? '';
}

export function gateCall(run: FixtureRun, change: Partial<GateCall> = {}): GateCall {
  return {
    tokenSha256: tokenDigest(run, 'tool'),
    organizationId: run.organizationId,
    runId: run.runId,
    runSpecDigest: run.runSpecDigest,
    toolCallId: `call-${uuidv7()}`,
    tool: 'Bash',
    summary: 'git push',
    inputDigest: digestOf({ command: 'git push' }),
    maxToolCalls: null,
    ...change,
  };
}

export interface StoredEvent {
  seq: number;
  actor: string;
  type: string;
  data: Record<string, JsonValue>;
}

/** The ledger of a run, in order. */
export async function readLedger(db: Database, run: FixtureRun): Promise<StoredEvent[]> {
  return db.withTenant(run.organizationId, (tx) =>
    tx.query<StoredEvent>(
      `select seq::int, actor, type, payload -> 'data' as data from events where session_id = $1 order by seq`,
      [run.runId],
    ),
  );
}

export async function readStatus(db: Database, run: FixtureRun): Promise<string | undefined> {
  const [row] = await db.withTenant(run.organizationId, (tx) =>
    tx.query<{ status: string }>('select status from sessions where id = $1', [run.runId]),
  );
  return row?.status;
}
