import { randomUUID } from 'node:crypto';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { JsonValue } from '../../../domain/json.js';
import type { CanonicalTool, PreparedCall } from '../../tools/canonical-tool.js';
import { TOOL_CATALOG } from '../../tools/tool-catalog.js';
import { askAndRun, toolCall } from '../governed-call.js';
import type { HarnessContext } from '../harness.js';
import { isModelToolName } from '../model-tool-names.js';

interface CheckedInput {
  input: JsonValue;
  prepared: PreparedCall;
}

/**
 * The tools as those of the SDK's loop. The loop answers unknown names and input that `parse` refuses by itself, without
 * the gate (docs/policies.md). Everything else asks under the model's own tool-use id, the first time that it is used, before it acts; a denial is a tool error.
 *
 * Calls of one reply are asked and performed one after the other: what a human is shown of the files that a command names
 * must still hold when the call is released, so no other call of the run may act in between (docs/design/gate.md).
 */
export function gatedTools(context: HarnessContext, tools: CanonicalTool[]): BetaRunnableTool<CheckedInput>[] {
  const oneByOne = oneAtATime();
  const ownId = eachOnce();
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    parse: (input: unknown) => ({ input: input as JsonValue, prepared: tool.prepare(input) }),
    run: ({ input, prepared }, call) => {
      if (!call) throw new Error('the tool loop gave no call id');
      return oneByOne(async () => {
        const outcome = await askAndRun(context, tool, toolCall(ownId(call.toolUse.id), tool.name, input), prepared);
        if (outcome.kind !== 'executed') throw new ToolError(`The call was denied: ${outcome.message}`);
        if (outcome.isError) throw new ToolError(outcome.text);
        return outcome.text;
      });
    },
  }));
}

/** Everything that the model may be shown; a longer name, or one with a dot, would make its provider refuse the request. */
export function offeredTools(context: HarnessContext, maxName: number): CanonicalTool[] {
  return [...TOOL_CATALOG, ...context.mcpTools.filter(({ name }) => isModelToolName(name, maxName))];
}

/**
 * The gate knows a call by its id for the whole run and answers a repeated one as before. A model that gives two calls one id must not
 * have the second performed on the first one's decision, so the second is asked under an id of its own.
 */
function eachOnce(): (id: string) => string {
  const used = new Set<string>();
  return (id) => {
    const own = used.has(id) ? `call_${randomUUID()}` : id;
    used.add(own);
    return own;
  };
}

function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = tail.then(work, work);
    tail = done.catch(() => undefined);
    return done;
  };
}
