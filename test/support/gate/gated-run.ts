import { request } from 'undici';
import { v7 as uuidv7 } from 'uuid';
import { digestOf } from '../../../src/domain/digest/digest.js';
import type { JsonObject, JsonValue } from '../../../src/domain/json.js';
import type { FrozenNetwork } from '../../../src/domain/network/grant.js';
import { POLICY_ENGINE } from '../../../src/domain/policy/document.js';
import type { Budgets, FrozenBundle, FrozenSetup, FrozenTool, WorkspaceSpec } from '../../../src/domain/run/spec.js';
import type { RunStatus } from '../../../src/domain/run/status.js';
import type { Database } from '../../../src/core/record/database.js';
import { mintRunTokens } from '../../../src/core/runs/tokens.js';
import { receivedHeaders } from '../http/received-headers.js';
import { createOrganization, emptyToolSet, toolSetWith } from '../runs/run-fixture.js';
import type { FixtureOrganization, FixtureRun } from '../runs/run-fixture.js';

export interface GatedRunOptions {
  in?: FixtureOrganization;
  /** Rules of the frozen policy; the default action is `approve`. */
  tools?: JsonObject[];
  policy?: JsonObject;
  autonomy?: 'supervised' | 'autonomous';
  trustTier?: 'trusted' | 'read_only';
  budgets?: Partial<Budgets>;
  /** Tools of the frozen server `kb`, by their input schemas. */
  kb?: Record<string, JsonObject>;
  /** Slots with a brokered tool set. */
  brokered?: string[];
  /** Gives each of these slots this tool, which takes anything. */
  brokeredTool?: string;
  harness?: string;
  model?: string;
  status?: RunStatus;
  hostId?: string;
  network?: FrozenNetwork;
  setup?: FrozenSetup;
  workspace?: WorkspaceSpec;
}

const NO_CAPS: Budgets = { max_wall_clock_secs: null, max_tokens: null, max_cost_usd: null, max_tool_calls: null };

/** A run with a whole frozen specification and live tokens, as the driver leaves it when its sandbox is up. */
export async function createGatedRun(db: Database, options: GatedRunOptions = {}): Promise<FixtureRun> {
  const organization = options.in ?? (await createOrganization(db));
  const runId = uuidv7();
  const spec = frozenSpec(organization, options);
  const runSpecDigest = digestOf(spec);
  const tokens = await db.withTenant(organization.organizationId, async (tx) => {
    await tx.query(
      `insert into sessions (id, tenant_id, agent_id, agent_revision_id, status, autonomy, trust_tier, task, repo_source,
                             run_spec, run_spec_digest, budgets, host_id, sandbox_handle, started_at)
       values ($1, $2, $3, $4, $5, $6, $7, 'a task', '{"kind":"scratch"}', $8, $9, $10, $11,
               '{"runtime":"test","external_id":"x","attrs":{}}', clock_timestamp())`,
      [
        runId, organization.organizationId, organization.agentId, organization.revisionId, options.status ?? 'running',
        options.autonomy ?? 'supervised', options.trustTier ?? 'trusted', JSON.stringify(spec), runSpecDigest,
        JSON.stringify({ ...NO_CAPS, ...options.budgets }), options.hostId ?? null,
      ],
    ); // prettier-ignore
    await tx.query('insert into session_heads (session_id, tenant_id) values ($1, $2)', [
      runId,
      organization.organizationId,
    ]);
    return mintRunTokens(tx, runId, 3600);
  });
  return { ...organization, runId, runSpecDigest, tokens };
}

function frozenSpec(organization: FixtureOrganization, options: GatedRunOptions): JsonObject {
  return {
    agent_id: organization.agentId,
    agent_revision_id: organization.revisionId,
    agent_name: 'fixer',
    harness: options.harness ?? 'builtin',
    runner_image: 'none',
    model: options.model ?? 'claude-haiku-4-5',
    system_prompt: null,
    task: 'a task',
    workspace: { ...(options.workspace ?? { kind: 'scratch' }) },
    invocation: { kind: 'api' },
    autonomy: options.autonomy ?? 'supervised',
    trust_tier: options.trustTier ?? 'trusted',
    budgets: { ...NO_CAPS, ...options.budgets },
    ...(options.brokered === undefined ? {} : { brokered: frozenToolSets(options.brokered, options.brokeredTool) }),
    policy_id: organization.policyId,
    policy_version: 1,
    policy_snapshot: {
      name: 'test',
      defaults: { tool_action: 'approve' },
      tools: options.tools ?? [],
      ...options.policy,
    },
    policy_engine: POLICY_ENGINE,
    sandbox: { memory_mb: 512, cpus: 1, disk_mb: 512, pids: 128 },
    ...(options.kb === undefined ? {} : { capabilities: [frozenKb(options.kb)] as unknown as JsonValue }),
    network: (options.network ?? { schema_version: 1, mode: 'offline' }) as unknown as JsonObject,
    ...(options.setup === undefined ? {} : { setup: { ...options.setup } }),
  };
}

function frozenToolSets(slots: string[], tool: string | undefined): JsonValue {
  if (tool === undefined) return slots.map(emptyToolSet) as unknown as JsonValue;
  const tools: FrozenTool[] = [{ name: tool, description: '', input_schema: {} }];
  return slots.map((slot) => toolSetWith(slot, tools)) as unknown as JsonValue;
}

function frozenKb(schemas: Record<string, JsonObject>): FrozenBundle {
  const tools = Object.entries(schemas).map(([name, input_schema]): FrozenTool => ({
    name,
    description: '',
    input_schema,
  }));
  return {
    id: uuidv7(),
    name: 'kb',
    version: 1,
    definition_digest: digestOf({ servers: [] }),
    servers: [{ class: 'sandbox', name: 'kb', command: 'node', args: [], tools }],
  };
}

export interface LedgerLine {
  seq: number;
  actor: string;
  type: string;
  data: JsonObject;
}

/** The ledger of a run, in order. */
export async function readLedger(db: Database, run: FixtureRun): Promise<LedgerLine[]> {
  const rows = await db.withTenant(run.organizationId, (tx) =>
    tx.query<{ seq: string; actor: string; type: string; payload: { data: JsonObject } }>(
      'select seq, actor, type, payload from events where session_id = $1 order by seq',
      [run.runId],
    ),
  );
  return rows.map((row) => ({ seq: Number(row.seq), actor: row.actor, type: row.type, data: row.payload.data }));
}

export async function readRows<R extends object>(db: Database, run: FixtureRun, sql: string): Promise<R[]> {
  return db.withTenant(run.organizationId, (tx) => tx.query<R>(sql, [run.runId]));
}

export interface ContractAnswer {
  status: number;
  body: { [key: string]: JsonValue };
  headers: Headers;
}

/** Posts JSON to the runner plane. */
export async function post(
  url: string,
  token: string | null,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ContractAnswer> {
  // By undici itself: a request of `fetch` costs four times as much. The type is the one that it gives a text.
  const {
    statusCode,
    headers: received,
    body: answer,
  } = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: statusCode,
    body: (await answer.json()) as ContractAnswer['body'],
    headers: receivedHeaders(received),
  };
}
