import {
  amount,
  count,
  described,
  flag,
  integer,
  listOf,
  nullable,
  oneOf,
  openText,
  optional,
  text,
  texts,
  time,
} from './event-fields.js';
import type { Fields } from './event-fields.js';

export type EventActor = 'agent' | 'system' | 'human' | 'harness';

interface EventKind {
  /** The actors that an event of this kind may have. */
  readonly actors: readonly EventActor[];
  /** Whether a runner may post it; the server alone writes the others (docs/design/runner.md). */
  readonly runnerMayPost?: true;
  /** For a reader of the timeline. */
  readonly summary: string;
  readonly data: Fields;
}

const call = { tool_call_id: text, tool: text };
const spending = { budget: described(text, 'The cap, such as `max_cost_usd`.'), limit: text, spent: text };
const flows = listOf({ target: text, port: integer, connections: count, bytes_sent: count, bytes_received: count });
const verdicts = oneOf('allow', 'deny', 'require_approval');

/** Every kind of event with its actors and data: what appends, readers and the interface go by (docs/design/events.md). */
export const EVENT_CATALOG = {
  'session.created': {
    actors: ['system'],
    summary: 'A run was created. The task itself stands on the run.',
    data: { agent: text, autonomy: oneOf('supervised', 'autonomous'), task_digest: text },
  },
  'session.status_changed': {
    actors: ['system'],
    summary: 'A run moved from one status to the next.',
    data: { from: text, to: text, reason: nullable(text) },
  },
  'workspace.initialized': {
    actors: ['system'],
    summary:
      'The workspace is filled; `left_out` files were not copied. Submodules stay empty folders and files of Git LFS pointers: how many there are of them is said when there are any. `merge_base` is the commit that a pull request is shown against, null when it could not be found.',
    data: {
      base_commit: nullable(text),
      files: nullable(count),
      left_out: optional(count),
      merge_base: optional(nullable(text)),
      repo: optional(text),
      ref: optional(text),
      submodules_not_fetched: optional(count),
      lfs_files_not_fetched: optional(count),
    },
  },
  'agent.message': {
    actors: ['agent', 'harness', 'system'],
    runnerMayPost: true,
    summary: 'Narrative.',
    data: { role: oneOf('assistant', 'system'), text },
  },
  'tool.requested': {
    actors: ['agent'],
    summary: 'A tool call came to the gate, once per id and before its decision.',
    data: { ...call, summary: text, input_digest: text },
  },
  'tool.decision': {
    actors: ['system'],
    summary: 'The gate decided a call.',
    data: {
      ...call,
      verdict: oneOf('allow', 'deny'),
      source: openText(
        'policy',
        'human',
        'autonomy_rewrite',
        'session_scope',
        'trust_tier',
        'capability',
        'schema',
        'binding',
        'connection',
        'protocol_violation',
        'session_terminal',
        'budget',
      ),
      original_verdict: nullable(verdicts),
      reason: nullable(text),
    },
  },
  'tool.completed': {
    actors: ['agent', 'harness'],
    runnerMayPost: true,
    summary: 'A runner says that a tool came back.',
    data: { ...call, ok: flag, summary: optional(nullable(text)) },
  },
  'tool.rejected': {
    actors: ['system'],
    summary: 'A harness answered a tool use itself, without asking.',
    data: { tool_call_id: text, tool: optional(text) },
  },
  'tool.brokered': {
    actors: ['system'],
    summary:
      'A brokered call was made or failed. One presented call is sent upstream once; a second time only after 401 to the access token of an OAuth connection or 404 to the MCP session, with which the upstream says that it has not run the tool.',
    data: {
      ...call,
      server: text,
      binding_id: optional(text),
      ok: flag,
      latency_ms: count,
      result_digest: optional(text),
      error: optional(text),
      outcome: optional(oneOf('succeeded', 'failed_upstream', 'failed_before_send', 'ambiguous')),
    },
  },
  'approval.requested': {
    actors: ['system'],
    summary: 'A call waits for a human.',
    data: { approval_id: text, ...call, summary: text, risk: nullable(text), expires_at: time },
  },
  'approval.decided': {
    actors: ['human'],
    summary: 'A human decided, or nobody did in time.',
    data: {
      approval_id: text,
      tool_call_id: text,
      decision: oneOf('approved_once', 'approved_session', 'denied', 'expired'),
      decided_by: text,
    },
  },
  'model.response': {
    actors: ['system'],
    summary: 'A model answered: usage and digests, never text.',
    data: {
      model: text,
      input_tokens: count,
      output_tokens: count,
      cache_read_tokens: count,
      cache_write_tokens: count,
      cost_usd: nullable(amount),
      request_digest: optional(text),
      response_digest: optional(nullable(text)),
    },
  },
  'budget.warning': { actors: ['system'], summary: 'Four fifths of a cap are spent.', data: spending },
  'budget.exceeded': { actors: ['system'], summary: 'A cap ended the run.', data: spending },
  'run.result': {
    actors: ['harness'],
    summary: 'What the run came to, as its runner said.',
    data: { outcome: text, summary: nullable(text) },
  },
  'run.error': {
    actors: ['system', 'harness'],
    runnerMayPost: true,
    summary: 'Something failed.',
    data: { message: text },
  },
  'run.quiesce_requested': {
    actors: ['system'],
    summary: 'The runner was asked to stop.',
    data: { deadline_secs: integer },
  },
  'run.limit_reached': {
    actors: ['system'],
    summary: 'A limit of the runner plane was reached for the first time.',
    data: { limit: text },
  },
  'artifact.collected': {
    actors: ['system'],
    summary: 'An artifact is stored.',
    data: { kind: text, name: text, bytes: count, sha256: text, truncated: flag },
  },
  'artifact.missing': {
    actors: ['system'],
    summary: 'An artifact could not be had.',
    data: { kind: text, reason: text },
  },
  'callback.delivered': {
    actors: ['system'],
    summary: 'A result arrived at its receiver.',
    data: { delivery_id: text, url: text, attempt: integer },
  },
  'callback.failed': {
    actors: ['system'],
    summary: 'A result was given up after its last attempt.',
    data: { delivery_id: text, url: text, attempts: integer, error: text },
  },
  'capability.frozen': {
    actors: ['system'],
    summary: 'Bundles are pinned into the run; `tools` counts what they hold.',
    data: { bundles: texts, tools: count },
  },
  'network.grant.frozen': {
    actors: ['system'],
    summary: 'What the run may reach.',
    data: { mode: text, targets: texts, digest: text, awaiting_authorization: flag, expires_at: nullable(time) },
  },
  'network.grant.revoked': {
    actors: ['system'],
    summary: 'The run is over and may reach nothing.',
    data: { mode: text, reason: text },
  },
  'network.allowed': {
    actors: ['system'],
    summary: 'A target was reached for the first time; later connections are counted in `network.summary`.',
    data: { target: text, port: integer, protocol: text },
  },
  'network.denied': {
    actors: ['system'],
    summary: 'A connection was refused.',
    data: { target: text, port: integer, protocol: text, decision: text, rule: optional(text) },
  },
  'network.denied.rollup': {
    actors: ['system'],
    summary: 'Refused connections, counted.',
    data: { suppressed: count, distinct_targets: count, top_targets: texts, targets_truncated: flag },
  },
  'network.summary': {
    actors: ['system'],
    summary: 'Everything that the run reached, counted by target; at the end of a run that reached anything.',
    data: { flows: flows, targets_truncated: flag },
  },
  'network.observation.degraded': {
    actors: ['system'],
    summary: 'Connections are not watched as they should be.',
    data: { reason: text },
  },
  'setup.started': {
    actors: ['harness'],
    runnerMayPost: true,
    summary: 'The commands that prepare the workspace begin.',
    data: { commands: count },
  },
  'setup.command': {
    actors: ['harness'],
    runnerMayPost: true,
    summary: 'One of them has ended.',
    data: { index: integer, tool_call_id: text, exit_code: nullable(integer), duration_ms: integer },
  },
  'setup.finished': {
    actors: ['harness'],
    runnerMayPost: true,
    summary: 'The workspace is prepared, or could not be.',
    data: { ok: flag, duration_ms: integer, reason: optional(text) },
  },
  'setup.skipped': {
    actors: ['system'],
    summary: 'The commands that prepare the workspace were not run; the agent starts without them.',
    data: { reason: text },
  },
  'setup.kept': {
    actors: ['system'],
    summary: 'Whether later runs are given what the commands made, and why not.',
    data: { kept: flag, bytes: optional(count), files: optional(count), reason: optional(text) },
  },
  'setup.reused': {
    actors: ['system'],
    summary: 'The workspace is prepared with what an earlier run made of the same commands and files.',
    data: { key: text, made_by: text },
  },
} as const satisfies Record<string, EventKind>;
