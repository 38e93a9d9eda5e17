import type { JsonObject } from '../../../domain/json.js';
import { parseMcpName } from '../../../domain/tools/mcp-name.js';
import type { CanonicalTool } from '../../tools/canonical-tool.js';
import { isModelToolName, MAX_TOOL_NAME } from '../model-tool-names.js';

/**
 * The tools of the run's sandbox servers as the program is offered them. It calls back for each (`item/tool/call`), and the
 * runner, which keeps the servers and the tokens, asks the gate and performs it: so a call is asked exactly once, under the
 * model's own id, and there is no server that the program could ask for more than the frozen tools.
 */
export interface OfferedTools {
  /** `dynamicTools` of `thread/start`. */
  specifications: JsonObject[];
  find: (offeredName: string) => CanonicalTool | null;
  /** Frozen tools whose name no model could be given. */
  hidden: string[];
}

export function offerTools(tools: readonly CanonicalTool[]): OfferedTools {
  const byName = new Map<string, CanonicalTool>();
  const hidden: string[] = [];
  for (const tool of tools) {
    const name = offeredName(tool.name);
    if (name === null || byName.has(name)) hidden.push(tool.name);
    else byName.set(name, tool);
  }
  return {
    specifications: [...byName].map(([name, { description, inputSchema }]) => ({
      type: 'function',
      name,
      description,
      inputSchema,
    })),
    find: (name) => byName.get(name) ?? null,
    hidden,
  };
}

/** `mcp__<server>__<tool>` without its prefix, which the program keeps for servers of its own. */
function offeredName(name: string): string | null {
  const parts = parseMcpName(name);
  if (parts === null) return null;
  const offered = `${parts.server}__${parts.tool}`;
  return isModelToolName(offered, MAX_TOOL_NAME.openai) ? offered : null;
}
