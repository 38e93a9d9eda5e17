import type { JsonObject, JsonValue } from '../../domain/json.js';
import { codeOf } from '../../domain/system-error.js';
import type { RefusalLog } from '../bridge/refusal-log.js';
import type { WorkspaceRoot } from './workspace-root.js';
import { inputSchema, parseInput } from './input-shape.js';
import type { InputFields, InputOf } from './input-shape.js';
import { ToolFailure } from './tool-failure.js';

export interface ToolOutcome {
  /** What the model reads. */
  text: string;
  isError: boolean;
  /** The same in our own words, without content: it may be logged and recorded. */
  note: string;
  /** What the gate said, when it was the control plane that put the call to it and the gate denied it. */
  denied?: string;
  /** The answer as the service gave it, for a harness that speaks MCP to its program. */
  mcp?: { content: JsonValue[]; structuredContent?: JsonValue };
}

export interface ToolNetwork {
  /** The part of the environment that leads there. */
  variables: Record<string, string>;
  refusals: RefusalLog;
}

export interface ToolContext {
  workspace: WorkspaceRoot;
  /** The whole environment of a process that a tool starts. */
  environment: Record<string, string>;
  /** The way out, where the run has a proxy. */
  network?: ToolNetwork;
  /** The run is being stopped: running processes are killed. */
  signal: AbortSignal;
  /** Overrides the tool's own default limit, in milliseconds; only scripted steps set it. */
  timeoutMs?: number;
}

/** A call whose input was checked, and which does nothing until it is run. */
export interface PreparedCall {
  run(context: ToolContext): Promise<ToolOutcome>;
}

/** One tool of the canonical vocabulary (docs/design/tools.md) as the runner performs it. */
export interface CanonicalTool {
  name: string;
  description: string;
  inputSchema: JsonObject & { type: 'object' };
  /** Set for a tool that the control plane performs and puts to the gate itself. */
  brokered?: true;
  /** Throws InvalidToolInputError when the input does not fit. */
  prepare(input: unknown): PreparedCall;
}

interface ToolParts<F extends InputFields> {
  name: string;
  description: string;
  fields: F;
  run(input: InputOf<F>, context: ToolContext): Promise<ToolOutcome>;
}

export function defineTool<F extends InputFields>(parts: ToolParts<F>): CanonicalTool {
  return {
    name: parts.name,
    description: parts.description,
    inputSchema: inputSchema(parts.fields),
    prepare: (input) => {
      const parsed = parseInput(parts.fields, input);
      return { run: (context) => failuresAsOutcomes(() => parts.run(parsed, context)) };
    },
  };
}

async function failuresAsOutcomes(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolFailure) return { text: error.message, isError: true, note: 'failed' };
    const code = codeOf(error);
    const named = code === undefined ? '' : ` (${code})`;
    return { text: `the tool failed${named}`, isError: true, note: `failed${named}` };
  }
}
