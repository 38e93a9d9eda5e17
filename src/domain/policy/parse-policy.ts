import type { ExactJson, ExactObject } from '../digest/exact-json.js';
import { SandgateError } from '../errors.js';
import { OFFLINE_CAP } from '../network/network-cap.js';
import type { Budgets } from '../run/spec.js';
import { DocumentReader } from './document-reader.js';
import type { PolicyDocument } from './document.js';
import {
  APPROVAL_SCOPES,
  AUTONOMOUS_ACTIONS,
  blankPolicy,
  DEFAULT_BUDGETS,
  EGRESS_MODES,
  POLICY_ACTIONS,
} from './document.js';
import { foldManagedOverrides } from './managed-overrides.js';
import { readNetworkCap } from './parse-network.js';
import { readRules } from './parse-rules.js';

const TOP_LEVEL_KEYS = ['name', 'defaults', 'egress', 'budgets', 'approvals', 'autonomy', 'tools', 'network'];
const BUDGET_KEYS = ['max_wall_clock_secs', 'max_tokens', 'max_cost_usd', 'max_tool_calls'];

export type PolicyValidation = { document: PolicyDocument; errors: [] } | { document: null; errors: string[] };

/** Strict reading with every fault that was found; for validation, import, publish, preview and seeding (docs/design/policy.md). */
export function validatePolicy(content: ExactJson): PolicyValidation {
  const reader = new DocumentReader(true);
  const document = readPolicy(reader, content);
  return reader.errors.length === 0 ? { document, errors: [] } : { document: null, errors: reader.errors };
}

/** Strict reading; throws `invalid_request` whose text names every fault. */
export function parsePolicyStrict(content: ExactJson): PolicyDocument {
  const { document, errors } = validatePolicy(content);
  if (document === null) throw new SandgateError('invalid_request', `invalid policy: ${errors.join('; ')}`);
  return document;
}

/**
 * Reading of stored versions and frozen run specs: unknown keys are ignored and no bound applies, so that a later rule never
 * strands a policy that already governs runs. Throws `internal` when the content is of the wrong type: such a policy must not decide anything.
 */
export function parsePolicyLenient(content: ExactJson): PolicyDocument {
  const reader = new DocumentReader(false);
  const document = readPolicy(reader, foldManagedOverrides(content));
  if (reader.errors.length > 0) {
    throw new SandgateError('internal', `the stored policy cannot be read: ${reader.errors.join('; ')}`);
  }
  return document;
}

function readPolicy(reader: DocumentReader, content: ExactJson): PolicyDocument {
  const top = reader.object(content, '', TOP_LEVEL_KEYS);
  if (top === null) return blankPolicy('');
  const defaults = reader.object(top['defaults'], 'defaults', ['tool_action']);
  const egress = reader.object(top['egress'], 'egress', ['mode']);
  return {
    name: readName(reader, top),
    defaults: {
      tool_action: reader.choice(defaults?.['tool_action'], 'defaults.tool_action', POLICY_ACTIONS) ?? 'approve',
    },
    egress: { mode: reader.choice(egress?.['mode'], 'egress.mode', EGRESS_MODES) ?? 'proxy-only' },
    budgets: readBudgets(reader, top['budgets']),
    approvals: readApprovals(reader, top['approvals']),
    autonomy: readAutonomy(reader, top['autonomy']),
    tools: readRules(reader, top['tools']),
    network: top['network'] === undefined ? { ...OFFLINE_CAP } : readNetworkCap(reader, top['network']),
  };
}

function readName(reader: DocumentReader, top: ExactObject): string {
  if (top['name'] === undefined) {
    reader.fail('`name` is required');
    return '';
  }
  const name = reader.text(top['name'], 'name');
  if (reader.strict && name !== null && name.trim() === '') reader.fail('`name` is blank');
  return name ?? '';
}

/** Absent budgets mean the four defaults; a key missing from present budgets means no cap. */
function readBudgets(reader: DocumentReader, value: ExactJson | undefined): Budgets {
  const budgets = reader.object(value, 'budgets', BUDGET_KEYS);
  if (budgets === null) return { ...DEFAULT_BUDGETS };
  const cap = (key: string): ExactJson | undefined => budgets[key] ?? undefined;
  return {
    max_wall_clock_secs: reader.integer(cap('max_wall_clock_secs'), 'budgets.max_wall_clock_secs'),
    max_tokens: reader.integer(cap('max_tokens'), 'budgets.max_tokens'),
    max_cost_usd: reader.number(cap('max_cost_usd'), 'budgets.max_cost_usd'),
    max_tool_calls: reader.integer(cap('max_tool_calls'), 'budgets.max_tool_calls'),
  };
}

function readApprovals(reader: DocumentReader, value: ExactJson | undefined): PolicyDocument['approvals'] {
  const approvals = reader.object(value, 'approvals', ['default_ttl_secs', 'scope', 'timeout_action']);
  reader.choice(approvals?.['timeout_action'], 'approvals.timeout_action', ['deny']);
  return {
    default_ttl_secs: reader.integer(approvals?.['default_ttl_secs'], 'approvals.default_ttl_secs', 0) ?? 600,
    scope: reader.choice(approvals?.['scope'], 'approvals.scope', APPROVAL_SCOPES) ?? 'once',
    timeout_action: 'deny',
  };
}

function readAutonomy(reader: DocumentReader, value: ExactJson | undefined): PolicyDocument['autonomy'] {
  const autonomy = reader.object(value, 'autonomy', ['permitted', 'on_approval_rule']);
  return {
    permitted: reader.boolean(autonomy?.['permitted'], 'autonomy.permitted', true),
    on_approval_rule:
      reader.choice(autonomy?.['on_approval_rule'], 'autonomy.on_approval_rule', AUTONOMOUS_ACTIONS) ?? 'deny',
  };
}
