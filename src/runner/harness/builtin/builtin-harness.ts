import { dialectOf } from '../../../domain/models/dialect.js';
import type { Harness, HarnessContext, HarnessResult } from '../harness.js';
import { MAX_TOOL_NAME, tellHiddenTools } from '../model-tool-names.js';
import { offeredTools } from './gated-tools.js';

/**
 * A small agent: a tool loop over the model gateway with the canonical tools, in the format of the run's model: Messages for
 * Anthropic's, Chat Completions for all others. Ends when the model stops calling tools, refuses, or has used its turns.
 */
export const builtinHarness: Harness = {
  run: async (context) => {
    const { model } = context.settings;
    await context.narrator.say('harness', `The built-in agent starts with model ${model}.`);
    const provider = dialectOf('builtin', model) === 'anthropic' ? 'anthropic' : 'openai';
    const tools = offeredTools(context, MAX_TOOL_NAME[provider]);
    const hidden = context.mcpTools.filter((tool) => !tools.includes(tool)).map(({ name }) => name);
    await tellHiddenTools(context, hidden, MAX_TOOL_NAME[provider]);
    return (await loadLoop(provider))(context, tools);
  },
};

type Loop = (context: HarnessContext, tools: ReturnType<typeof offeredTools>) => Promise<HarnessResult>;

/** Only one of the providers' clients is evaluated. */
async function loadLoop(provider: keyof typeof MAX_TOOL_NAME): Promise<Loop> {
  if (provider === 'anthropic') return (await import('./messages-loop.js')).runMessagesLoop;
  return (await import('./chat-loop.js')).runChatLoop;
}
