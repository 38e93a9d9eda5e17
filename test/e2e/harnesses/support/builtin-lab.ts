import { MessagesLab } from './messages-lab.js';

/** One that the provider serves in the chat format, as local ones do. */
export const LOCAL_MODEL = 'qwen3-coder';

/** A lab whose agent is the built-in one. */
export function startBuiltinLab(env: NodeJS.ProcessEnv = {}): Promise<MessagesLab> {
  const agent = { name: 'builtin', harness: 'builtin', model: 'claude-haiku-4-5' };
  return MessagesLab.start(agent, { SERVICE_MODELS_BUILTIN: LOCAL_MODEL, ...env });
}
