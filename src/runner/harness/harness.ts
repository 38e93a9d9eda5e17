import type { Narrator } from '../contract/narrator.js';
import type { ContractClient } from '../contract/contract-client.js';
import type { ContractProbe } from '../probe/contract-probe.js';
import type { RunnerSettings } from '../launch/runner-settings.js';
import type { SandboxTools } from '../mcp/sandbox-tools.js';
import type { RunnerLog } from '../log/runner-log.js';
import type { CanonicalTool, ToolContext } from '../tools/canonical-tool.js';

/** How a harness reaches the model gateway, which is part of the runner plane; nothing else is reachable. */
export interface ModelAccess {
  baseUrl: string;
  token: string;
  fetch: typeof fetch;
}

export interface HarnessContext {
  settings: RunnerSettings;
  contract: ContractClient;
  narrator: Narrator;
  tools: ToolContext;
  /** Tools of the run's sandbox MCP servers. */
  sandboxTools: SandboxTools;
  /** Every MCP tool of the run: those of its sandbox servers, then those of its connected services. */
  mcpTools: readonly CanonicalTool[];
  model: ModelAccess;
  /** Probing requests for tests of the server; only scripts of replay runs have any. */
  probe: ContractProbe;
  /** Base address of the runner plane for programs that only speak TCP. */
  loopbackUrl: string | null;
  /** The run is being stopped: nothing more may be asked or done. */
  signal: AbortSignal;
  log: RunnerLog;
}

export interface HarnessResult {
  outcome: 'completed' | 'failed';
  /** Stored on the run and shown to people; cut to 4,000 characters when it is posted. */
  summary: string;
}

/** Adapts one agent program to the run: it asks the gate before every tool call and returns when the work is over. */
export interface Harness {
  run(context: HarnessContext): Promise<HarnessResult>;
}
