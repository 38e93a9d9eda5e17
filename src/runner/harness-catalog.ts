import type { Harness } from './harness/harness.js';

/** Loads only the chosen harness: a scripted run never evaluates the model client. Null for an unknown name. */
export async function loadHarness(name: string): Promise<Harness | null> {
  switch (name) {
    case 'builtin':
      return (await import('./harness/builtin/builtin-harness.js')).builtinHarness;
    case 'replay':
      return (await import('./harness/replay/replay-harness.js')).replayHarness;
    case 'claude-agent-sdk':
      return (await import('./harness/claude-agent-sdk/claude-harness.js')).claudeHarness;
    case 'codex':
      return (await import('./harness/codex/codex-harness.js')).codexHarness;
    default:
      return null;
  }
}
