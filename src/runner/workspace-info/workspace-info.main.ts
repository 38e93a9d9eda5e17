import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.js';
import { ToolFailure } from '../tools/tool-failure.js';
import { WorkspaceRoot } from '../tools/workspace-root.js';
import { countFiles, countMatches } from './counts.js';

/**
 * The MCP server of the catalog's `workspace-info` entry (docs/design/connections.md): two tools that read the folder it is started in, a JSON
 * message a line on standard input and output. The catalog holds what a bundle says of them; it is checked against this list.
 */
const TOOLS: Readonly<Record<string, (workspace: WorkspaceRoot, input: JsonObject) => Promise<string>>> = {
  workspace_file_count: (workspace) => countFiles(workspace),
  workspace_grep_count: (workspace, input) => countMatches(workspace, input['pattern']),
};
const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18'];

async function answer(method: unknown, params: JsonObject): Promise<JsonObject | null> {
  switch (method) {
    case 'initialize': {
      const asked = PROTOCOL_VERSIONS.find((version) => version === params['protocolVersion']);
      return {
        protocolVersion: asked ?? '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'workspace-info', version: '1.0.0' },
      };
    }
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } })) };
    case 'tools/call':
      return callTool(params);
    default:
      return null;
  }
}

async function callTool({ name, arguments: given }: JsonObject): Promise<JsonObject> {
  const tool = typeof name === 'string' && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool === undefined) return textAnswer('there is no such tool', true);
  await using workspace = await WorkspaceRoot.open(process.cwd());
  try {
    return textAnswer(await tool(workspace, isJsonObject(given) ? given : {}), false);
  } catch (error) {
    if (error instanceof ToolFailure) return textAnswer(error.message, true);
    throw error;
  }
}

function textAnswer(text: string, isError: boolean): JsonObject {
  return { content: [{ type: 'text', text }], isError };
}

function send(message: JsonObject): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function parse(line: string): JsonValue {
  try {
    return JSON.parse(line) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = parse(line);
  // A notification has no id and is never answered.
  if (!isJsonObject(message) || message['id'] === undefined || message['method'] === undefined) continue;
  const { id, method, params } = message;
  const result = await answer(method, isJsonObject(params) ? params : {});
  send(result === null ? { id, error: { code: -32601, message: 'method not found' } } : { id, result });
}
