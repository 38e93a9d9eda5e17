import { SETTLED_CLAIM_STATES } from '../../domain/broker/claim.js';
import { TERMINAL_STATUSES } from '../../domain/run/status.js';
import { isMcpName } from '../../domain/tools/mcp-name.js';
import { isCanonicalTool } from '../../domain/tools/vocabulary.js';

/** Replaces every value outside a label's set, because an agent, a provider or a client must not be able to create new series. */
export const OTHER = '_other';

/** A label whose values are a fixed set (docs/observability.md). */
export class ClosedLabel {
  readonly #values: ReadonlySet<string>;

  constructor(values: Iterable<string>) {
    this.#values = new Set(values);
  }

  of(value: string | null | undefined): string {
    return value !== null && value !== undefined && this.#values.has(value) ? value : OTHER;
  }
}

export const VERDICT_LABEL = new ClosedLabel(['allow', 'deny', 'require_approval']);

/** `source` of a denial. */
export const DENY_SOURCE_LABEL = new ClosedLabel([
  'capability',
  'binding',
  'connection',
  'schema',
  'trust_tier',
  'policy',
  'protocol_violation',
  'human',
  'session_terminal',
  'autonomy_rewrite',
  'session_scope',
  'budget',
]);

export const DECISION_LABEL = new ClosedLabel(['approved_once', 'approved_session', 'denied', 'expired']);

/** Settled states of a claim. */
export const BROKER_OUTCOME_LABEL = new ClosedLabel(SETTLED_CLAIM_STATES);

export const OUTCOME_LABEL = new ClosedLabel(TERMINAL_STATUSES);

/** Built-in tools by their names, all tools of MCP servers as one: bundles choose their names. */
export function toolLabel(name: string): string {
  if (isCanonicalTool(name)) return name;
  return isMcpName(name) ? 'mcp' : OTHER;
}
