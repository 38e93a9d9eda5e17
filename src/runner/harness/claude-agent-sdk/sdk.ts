import type { ChildProcess } from 'node:child_process';
import type { JsonObject } from '../../../domain/json.js';

/**
 * What this adapter uses of `@anthropic-ai/claude-agent-sdk`. The package is no dependency: it is imported at run time from the
 * program that `sandgate harness install claude-agent-sdk` brought, in the version pinned there.
 */
export interface ClaudeSdk {
  query(request: { prompt: string; options: QueryOptions }): AsyncIterable<ProgramMessage> & { close(): void };
}

export interface QueryOptions {
  model: string;
  cwd: string;
  env: Record<string, string>;
  maxTurns: number;
  systemPrompt: { type: 'preset'; preset: 'claude_code'; append?: string };
  tools: string[];
  additionalDirectories: string[];
  settingSources: [];
  strictMcpConfig: true;
  mcpServers: Record<string, InProcessServer>;
  permissionMode: 'default';
  persistSession: false;
  verbatimPrompts: true;
  extraArgs: Record<string, string | null>;
  hooks: { PreToolUse: { hooks: PreToolUseHook[] }[]; PostToolUseFailure: { hooks: PostToolUseFailureHook[] }[] };
  canUseTool: CanUseTool;
  pathToClaudeCodeExecutable: string;
  spawnClaudeCodeProcess: (options: SpawnRequest) => ChildProcess;
  abortController: AbortController;
}

export type PreToolUseHook = () => Promise<{
  hookSpecificOutput: { hookEventName: 'PreToolUse'; permissionDecision: 'ask' };
}>;

/** What it answers stands beside the result of the call when the model reads it. */
export type PostToolUseFailureHook = (input: { tool_use_id?: string }) => Promise<{
  hookSpecificOutput?: { hookEventName: 'PostToolUseFailure'; additionalContext: string };
}>;

export type CanUseTool = (
  tool: string,
  input: JsonObject,
  options: { toolUseID?: string },
) => Promise<PermissionResult>;

export type PermissionResult = { behavior: 'allow'; updatedInput: JsonObject } | { behavior: 'deny'; message: string };

export interface SpawnRequest {
  command: string;
  args: string[];
  cwd?: string;
  env: Record<string, string | undefined>;
}

/** An MCP server inside this process; the program reaches it through the SDK's own channel. */
export interface InProcessServer {
  type: 'sdk';
  name: string;
  instance: { connect(transport: McpTransport): Promise<void> };
}

/** The messages of the program that matter here; there are others, and more members. */
export type ProgramMessage =
  | {
      type: 'system';
      subtype: string;
      claude_code_version?: string;
      tools?: string[];
      permissionMode?: string;
      mcp_servers?: { name: string; status: string }[];
    }
  | { type: 'assistant'; error?: string; message: { content: ContentBlock[] } }
  | { type: 'user'; message: { content: string | ContentBlock[] } }
  | { type: 'result'; subtype: 'success'; is_error: boolean; result: string; total_cost_usd?: number }
  | { type: 'result'; subtype: ResultFailure; is_error: boolean; errors?: string[]; total_cost_usd?: number };

export type ResultFailure = 'error_during_execution' | 'error_max_turns' | 'error_max_budget_usd';

export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject }
  | { type: 'tool_result'; tool_use_id: string; is_error?: boolean; content?: unknown };

/** The SDK's end of an in-process server: MCP messages without a network. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  onmessage?: (message: McpMessage) => void;
}

export interface McpMessage {
  id?: string | number;
  method?: string;
  params?: { protocolVersion?: string; name?: string; _meta?: Record<string, unknown> };
}
