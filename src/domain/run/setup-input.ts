import type { FrozenSetup } from './spec.js';

export const MAX_SETUP_COMMANDS = 32;
export const MAX_SETUP_COMMAND_CHARS = 8192;
export const MAX_SETUP_SECS = 3600;
const DEFAULT_SETUP_SECS = 600;

/** The members of `setup` as a client writes them. */
export interface SetupInput {
  commands: string[];
  timeout_secs?: number;
  cache?: boolean;
}

/** The setup of a revision; null for one without commands, which clears what it would inherit. */
export function readSetup({ commands, timeout_secs, cache }: SetupInput): FrozenSetup | null {
  if (commands.length === 0) return null;
  return { commands: [...commands], timeout_secs: timeout_secs ?? DEFAULT_SETUP_SECS, cache: cache ?? true };
}
