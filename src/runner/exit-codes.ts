import { SETUP_EXIT } from '../domain/setup/setup-call.js';

/** What the runner's exit code tells supervision (docs/design/runner.md). */
export const EXIT = {
  done: 0,
  failed: 1,
  missingVariable: 2,
  wrongAudience: 3,
  handOffFailed: 4,
  ungovernedTool: 5,
  setupFailed: SETUP_EXIT.failed,
  setupOutOfTime: SETUP_EXIT.outOfTime,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
