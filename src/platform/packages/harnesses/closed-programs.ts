import type { ProgramHarness } from '../../../domain/harness/harness-program.js';

/**
 * The program of each harness, by its path in the installed tree. Others than the owner may execute it and not read it: a process of
 * such a file is not dumpable, so what it holds in memory is closed to the other processes of the run, whose uid is not the owner's
 * where Sandgate runs as root (docs/design/sandbox.md).
 */
export const CLOSED_PROGRAMS: Record<ProgramHarness, RegExp> = {
  'claude-agent-sdk': /^node_modules\/@anthropic-ai\/claude-agent-sdk-[^/]+\/claude$/,
  codex: /^node_modules\/@openai\/codex-[^/]+\/vendor\/[^/]+\/bin\/codex$/,
};
