import { MessagesLab } from './messages-lab.js';

/** A lab whose agent is the built-in one. */
export function startBuiltinLab(env: NodeJS.ProcessEnv = {}): Promise<MessagesLab> {
  return MessagesLab.start({ name: 'builtin', harness: 'builtin', model: 'claude-haiku-4-5' }, env);
}
