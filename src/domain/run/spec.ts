import type { JsonObject, JsonValue } from '../json.js';
import type { ResultDestination } from './result-destination.js';
import type { FrozenNetwork } from '../network/grant.js';

/** Caps of one run; null means no cap. Money is integer micro-dollars inside and decimal dollars on the wire. */
export interface Budgets {
  max_wall_clock_secs: number | null;
  max_tokens: number | null;
  max_cost_usd: number | null;
  max_tool_calls: number | null;
}

export type WorkspaceSpec =
  | { kind: 'scratch' }
  | { kind: 'local_copy'; path: string; include?: string[] }
  | {
      kind: 'git_repository';
      connection_id?: string;
      binding_id?: string;
      repository?: string;
      clone_url: string;
      ref?: string;
      commit_sha?: string;
      /** Tip of the branch that a pull request is for: its change begins where both histories part. Events alone set it. */
      base_sha?: string;
      checkout_mode: 'writable_copy' | 'read_only';
    }
  /** Files that a client sent beforehand, and which `host` has (docs/design/workspaces.md). `base_commit`: what they were changed from. */
  | {
      kind: 'upload';
      id: string;
      digest: string;
      bytes: number;
      files: number;
      left_out: number;
      host: string;
      base_commit?: string;
    };

/** What a request asks for: of an upload it names the id alone. */
export type RequestedWorkspace = Exclude<WorkspaceSpec, { kind: 'upload' }> | { kind: 'upload'; id: string };

/** Sizes of a sandbox (docs/design/sandbox.md). */
export interface SandboxSizes {
  memory_mb: number;
  cpus: number;
  disk_mb: number;
  pids: number;
}

export interface Invocation {
  kind: 'manual' | 'api' | 'schedule' | 'event';
  actor?: string;
  subscription_id?: string;
  attributes?: JsonObject;
  received_at?: string;
  /** Of an event of a code host alone, from here on. */
  provider?: 'codehost';
  external_event_id?: string;
  event_type?: string;
  /** `owner/name#number` */
  resource?: string;
  occurred_at?: string;
}

/** A tool of an MCP server as it was frozen (docs/design/tools.md). */
export interface FrozenTool {
  name: string;
  description: string;
  /** A JSON Schema that arguments must meet; compiled by the schema guard alone. */
  input_schema: JsonObject;
  output_schema?: JsonObject;
  annotations?: JsonObject;
}

/** A tool of a connected server. */
export interface BrokeredTool extends FrozenTool {
  /** Digest of its definition as the server wrote it, by which later changes are recognized. */
  definition_digest?: string;
}

/** A stdio MCP server that runs inside the sandbox; it gets no credential. */
export interface FrozenServer {
  class: 'sandbox';
  name: string;
  /** Program as the sandbox sees it, for example beneath `/opt/sandgate/tools`. */
  command: string;
  args: string[];
  tools: FrozenTool[];
}

export interface FrozenBundle {
  id: string;
  name: string;
  version: number;
  definition_digest: string;
  servers: FrozenServer[];
}

/**
 * The frozen tools of one connection requirement, called by the control plane on the run's behalf. It names no
 * connection: the binding with this id does.
 */
export interface BrokeredToolSet {
  /** Name of the requirement; the `<server>` of `mcp__<server>__<tool>`. */
  slot: string;
  /** The requirement's server address. */
  url: string;
  binding_id: string;
  snapshot_version: number;
  /** Exactly the required tools, in the requirement's order. */
  tools: BrokeredTool[];
  /** `sha256:` + 64 hex over {@link tools}. */
  tools_digest: string;
  /** MCP version that the snapshot was negotiated with; it decides the dialect of the schemas. */
  protocol_version?: string;
}

/** Commands that prepare the workspace before the agent starts (docs/design/setup.md). */
export interface FrozenSetup {
  commands: string[];
  /** All commands together; people who are asked about one have their own time. */
  timeout_secs: number;
  /** Whether its result may be kept for later runs, and one that was kept be used. */
  cache: boolean;
}

/** What a run was created with; frozen at creation and read from the row on every call. */
export interface RunSpec {
  agent_id: string;
  agent_revision_id: string;
  agent_name: string;
  harness: string;
  runner_image: string;
  model: string;
  system_prompt: string | null;
  task: string;
  workspace: WorkspaceSpec;
  invocation: Invocation;
  autonomy: 'supervised' | 'autonomous';
  trust_tier: 'trusted' | 'read_only';
  budgets: Budgets;
  /** Only with a cost cap on a model that has no price (docs/design/budgets.md). */
  allow_unpriced?: boolean;
  policy_id: string;
  policy_version: number;
  policy_snapshot: JsonValue;
  /** Version of the evaluation rules, so that an older run keeps its semantics (docs/design/policy.md). */
  policy_engine: number;
  sandbox: SandboxSizes;
  /** Variables of the agent's processes that are not secrets; left out when there are none. */
  env?: Record<string, string>;
  /** Sandbox bundles after narrowing; left out when there are none. */
  capabilities?: FrozenBundle[];
  /** Tool sets of the bound connections; left out when there are none. */
  brokered?: BrokeredToolSet[];
  network: FrozenNetwork;
  /** Where the result goes when the run is over; left out when nowhere. */
  result_destinations?: ResultDestination[];
  /** What is run before the agent; left out when there is nothing. */
  setup?: FrozenSetup;
}
