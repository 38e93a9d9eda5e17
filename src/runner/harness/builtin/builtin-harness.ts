import { dialectOf } from '../../../domain/models/dialect.js';
import type { Harness, HarnessContext, HarnessResult } from '../harness.js';
import { offeredTools } from './gated-tools.js';

/** Longest names of tools that the providers of the two formats take. */
const MAX_NAME = { anthropic: 128, 'openai-chat': 64 } as const;
type Spoken = keyof typeof MAX_NAME;

/**
 * A small agent: a tool loop over the model gateway with the canonical tools, in the format of the run's model: Messages for
 * Anthropic's, Chat Completions for all others. Ends when the model stops calling tools, refuses, or has used its turns.
 */
export const builtinHarness: Harness = {
  run: async (context) => {
    const { model } = context.settings;
    await context.narrator.say('harness', `The built-in agent starts with model ${model}.`);
    const dialect: Spoken = dialectOf('builtin', model) === 'anthropic' ? 'anthropic' : 'openai-chat';
    await tellHiddenTools(context, MAX_NAME[dialect]);
    return (await loadLoop(dialect))(context, offeredTools(context, MAX_NAME[dialect]));
  },
};

type Loop = (context: HarnessContext, tools: ReturnType<typeof offeredTools>) => Promise<HarnessResult>;

/** Only one of the providers' clients is evaluated. */
async function loadLoop(dialect: Spoken): Promise<Loop> {
  if (dialect === 'anthropic') return (await import('./messages-loop.js')).runMessagesLoop;
  return (await import('./chat-loop.js')).runChatLoop;
}

/** Frozen tools that the model will not see, or that will not work, are told: a person would look for the reason. */
async function tellHiddenTools(context: HarnessContext, maxName: number): Promise<void> {
  const offered = new Set(offeredTools(context, maxName).map(({ name }) => name));
  const hidden = context.sandboxTools.tools.map(({ name }) => name).filter((name) => !offered.has(name));
  if (hidden.length > 0)
    await context.narrator.say(
      'harness',
      `Not shown to the model, whose provider takes names of A-Z a-z 0-9 _ - up to ${maxName} characters: ${hidden.join(', ')}`,
    );
}
