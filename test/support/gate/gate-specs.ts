import { compileDocument, type CompiledPolicy } from '../../../src/domain/policy/compile-policy.js';
import { ToolSet } from '../../../src/domain/gate/tool-set.js';
import type { GateSpec } from '../../../src/domain/gate/gate-verdict.js';
import type { BrokeredToolSet, FrozenBundle, FrozenTool } from '../../../src/domain/run/spec.js';
import { readSeededPolicy } from '../policies/seeded-policies.js';

export const UNRESTRICTED = compileDocument(readSeededPolicy('unrestricted'));
export const DEFAULT = compileDocument(readSeededPolicy('default'));

export const NOTHING_FROZEN = new ToolSet();
const FIND: FrozenTool = { name: 'find', description: '', input_schema: { type: 'object', required: ['q'] } };
const KB: FrozenBundle = {
  id: 'b',
  name: 'kb',
  version: 1,
  definition_digest: 'sha256:0',
  servers: [{ class: 'sandbox', name: 'kb', command: 'node', args: [], tools: [FIND] }],
};
const CRM: BrokeredToolSet = {
  slot: 'crm',
  url: 'https://mcp.example.com/',
  binding_id: 'c',
  snapshot_version: 1,
  tools: [FIND],
  tools_digest: 'sha256:0',
};
/** One tool, `mcp__kb__find`, which requires `q`. */
export const KB_FROZEN = new ToolSet([KB]);
export const KB_AND_CRM = new ToolSet([KB], [CRM]);

/** What a run is judged by: the default policy, supervised and trusted, with nothing frozen. */
export const gateSpec = (overrides: Partial<GateSpec> = {}): GateSpec => ({
  policy: DEFAULT,
  tools: NOTHING_FROZEN,
  autonomy: 'supervised',
  trustTier: 'trusted',
  ...overrides,
});
export const readOnly = (policy: CompiledPolicy): GateSpec => gateSpec({ policy, trustTier: 'read_only' });
