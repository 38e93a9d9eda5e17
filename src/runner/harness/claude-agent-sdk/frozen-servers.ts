import type { JsonObject } from '../../../domain/json.js';
import { parseMcpName } from '../../../domain/tools/mcp-name.js';
import { messageOf } from '../../log/failure-text.js';
import type { CanonicalTool, ToolContext, ToolOutcome } from '../../tools/canonical-tool.js';
import type { InProcessServer, McpMessage, McpTransport } from './sdk.js';
import type { ToolGate } from './tool-gate.js';

/** The member in which the program names the tool use that a call belongs to. */
const USE_ID = 'claudecode/toolUseId';
const PROTOCOL_VERSION = '2025-11-25';
const METHOD_NOT_FOUND = -32601;

interface Surroundings {
  gate: ToolGate;
  context: ToolContext;
}

/**
 * The run's MCP servers as the program sees them: one in-process server for each, with the frozen tools in their frozen
 * words and no others. Sandbox servers themselves are children of the runner; connected services are the control plane's, which
 * puts each call to the gate. A call runs only if the gate allowed that use, with the input that was allowed,
 * whatever the program sends.
 */
export function frozenServers(
  tools: readonly CanonicalTool[],
  surroundings: Surroundings,
): Record<string, InProcessServer> {
  const servers = Map.groupBy(tools, (tool) => parseMcpName(tool.name)?.server ?? '');
  return Object.fromEntries(
    [...servers].map(([name, own]) => [
      name,
      { type: 'sdk', name, instance: new FrozenServer(name, own, surroundings) },
    ]),
  );
}

/** As much of MCP as a server with nothing but tools needs. */
class FrozenServer {
  constructor(
    private readonly name: string,
    private readonly tools: readonly CanonicalTool[],
    private readonly surroundings: Surroundings,
  ) {}

  async connect(transport: McpTransport): Promise<void> {
    transport.onmessage = (message) => {
      // A message without an id is a notification, which nobody waits for.
      if (message.id !== undefined && message.method !== undefined) void this.#answer(message, transport);
    };
    await transport.start();
  }

  async #answer({ id = '', method = '', params = {} }: McpMessage, transport: McpTransport): Promise<void> {
    const result = await this.#perform(method, params);
    const error = { code: METHOD_NOT_FOUND, message: `no method ${method}` };
    await transport.send({ jsonrpc: '2.0', id, ...(result === null ? { error } : { result }) });
  }

  async #perform(method: string, params: NonNullable<McpMessage['params']>): Promise<JsonObject | null> {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params.protocolVersion ?? PROTOCOL_VERSION,
          capabilities: { tools: {} },
          serverInfo: { name: this.name, version: '1' },
        };
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: this.tools.map(describe) };
      case 'tools/call':
        return this.#call(params.name, params._meta?.[USE_ID]);
      default:
        return null;
    }
  }

  async #call(name: string | undefined, useId: unknown): Promise<JsonObject> {
    const { gate, context } = this.surroundings;
    const tool = this.tools.find((one) => ownName(one) === name);
    const input = tool === undefined ? null : gate.takeAllowed(useId, tool.name);
    if (tool === undefined || input === null)
      return content('The call was not made: the gate has not allowed this use.', true);
    try {
      const outcome = await tool.prepare(input).run(context);
      return outcome.mcp === undefined ? content(outcome.text, outcome.isError) : whole(outcome.mcp, outcome.isError);
    } catch (error) {
      // Input of a wrong shape, or a run that is being stopped: in either case the program needs an answer.
      return content(`The call failed: ${messageOf(error)}`, true);
    }
  }
}

function describe(tool: CanonicalTool): JsonObject {
  return { name: ownName(tool), description: tool.description, inputSchema: tool.inputSchema };
}

function content(text: string, isError: boolean): JsonObject {
  return { content: [{ type: 'text', text }], isError };
}

/** The answer of a connected service, its structured part included (docs/design/runner.md). */
function whole({ content: blocks, structuredContent }: NonNullable<ToolOutcome['mcp']>, isError: boolean): JsonObject {
  return { content: blocks, isError, ...(structuredContent === undefined ? {} : { structuredContent }) };
}

function ownName(tool: CanonicalTool): string {
  return parseMcpName(tool.name)?.tool ?? tool.name;
}
