import { parseMcpName } from '../../../domain/tools/mcp-name.js';
import type { JsonObject } from '../../../domain/json.js';
import type { CanonicalTool, ToolContext } from '../../tools/canonical-tool.js';
import type { ClaudeProgram } from './program.js';
import type { InProcessServer, McpKit, McpRequest } from './sdk.js';
import type { ToolGate } from './tool-gate.js';

/** Under which the program names the tool use that a call belongs to. */
const USE_ID = 'claudecode/toolUseId';

/**
 * The run's sandbox servers as the program sees them: one in-process server for each, with the frozen tools in their frozen
 * words and no others. The servers themselves are children of the runner. A call runs only when the gate allowed that very use,
 * with the input that was allowed, whatever the program sends.
 */
export async function frozenServers(
  tools: readonly CanonicalTool[],
  { program, gate, context }: { program: ClaudeProgram; gate: ToolGate; context: ToolContext },
): Promise<Record<string, InProcessServer>> {
  const servers = Map.groupBy(tools, (tool) => parseMcpName(tool.name)?.server ?? '');
  if (servers.size === 0) return {};
  const kit = await program.loadMcpKit();
  return Object.fromEntries(
    [...servers].map(([name, own]) => [
      name,
      { type: 'sdk', name, instance: createServer(kit, name, own, { gate, context }) },
    ]),
  );
}

function createServer(
  kit: McpKit,
  name: string,
  tools: CanonicalTool[],
  { gate, context }: { gate: ToolGate; context: ToolContext },
): InProcessServer['instance'] {
  const server = new kit.Server({ name, version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(kit.ListToolsRequestSchema, () =>
    Promise.resolve({
      tools: tools.map((tool) => ({
        name: ownName(tool),
        description: tool.description,
        inputSchema: tool.inputSchema,
      })),
    }),
  );
  server.setRequestHandler(kit.CallToolRequestSchema, ({ params }: McpRequest) =>
    call(
      tools.find((tool) => ownName(tool) === params?.name),
      params?._meta?.[USE_ID],
      { gate, context },
    ),
  );
  return server;
}

async function call(
  tool: CanonicalTool | undefined,
  useId: unknown,
  { gate, context }: { gate: ToolGate; context: ToolContext },
): Promise<JsonObject> {
  const input = tool === undefined ? null : gate.takeAllowed(useId, tool.name);
  if (tool === undefined || input === null)
    return answer('The call was not made: the gate has not allowed this use.', true);
  const outcome = await tool.prepare(input).run(context);
  return answer(outcome.text, outcome.isError);
}

function answer(text: string, isError: boolean): JsonObject {
  return { content: [{ type: 'text', text }], isError };
}

function ownName(tool: CanonicalTool): string {
  return parseMcpName(tool.name)?.tool ?? tool.name;
}
