import { parseMcpName } from '../tools/mcp-name.js';
import { CANONICAL_TOOLS, toolGroup, type ToolGroup } from '../tools/vocabulary.js';
import type { CompiledPolicy } from './compile-policy.js';
import { evaluate } from './evaluate.js';
import { toolStatus, type ToolStatus } from './tool-status.js';
import type { VerdictKind } from './verdict.js';

/** One tool under a policy (docs/design/policy.md). */
export interface MatrixRow {
  tool: string;
  /** Of a supervised call with an empty input, so that a constrained rule does not show as a plain allow. */
  verdict: VerdictKind;
  /** Null for MCP tools. */
  group: ToolGroup | null;
  /** MCP server or slot; null for built-in tools. */
  server: string | null;
  status: ToolStatus;
}

/** The canonical vocabulary in its order, then `mcpTools` sorted and without repeats. */
export function governanceMatrix(policy: CompiledPolicy, mcpTools: readonly string[]): MatrixRow[] {
  const tools = [...CANONICAL_TOOLS.map(({ name }) => name), ...[...new Set(mcpTools)].sort()];
  return tools.map((tool) => ({
    tool,
    verdict: evaluate(policy, { tool, input: {} }, 'supervised').verdict,
    group: toolGroup(tool),
    server: parseMcpName(tool)?.server ?? null,
    status: toolStatus(policy, tool),
  }));
}
