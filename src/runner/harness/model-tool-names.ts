import type { HarnessContext } from './harness.js';

/** Longest names of tools that providers take, in characters. */
export const MAX_TOOL_NAME = { anthropic: 128, openai: 64 } as const;

const CHARACTERS = /^[A-Za-z0-9_-]+$/;

/** Whether a provider takes a tool of this name: one name that it does not take would make it refuse the whole request. */
export function isModelToolName(name: string, maxLength: number): boolean {
  return CHARACTERS.test(name) && name.length <= maxLength;
}

/** Reports frozen tools that the model will not see, so that people know the reason. */
export async function tellHiddenTools(context: HarnessContext, hidden: string[], maxLength: number): Promise<void> {
  if (hidden.length === 0) return;
  await context.narrator.say(
    'harness',
    `Not shown to the model, whose provider takes names of A-Z a-z 0-9 _ - up to ${maxLength} characters: ${hidden.join(', ')}`,
  );
}
