import { closeSync, writeSync } from 'node:fs';
import { gatherEvidence } from './evidence.js';
import { pointsOf, type SandboxProfile } from './points.js';

/** `point` names what does not hold and why. */
export type SelfCheckResult = { ok: true } | { ok: false; point: string };

/** Holds the descriptor on which the launcher waits for the verdict. */
const READY_VARIABLE = 'SANDGATE_READY_FD';

/**
 * Runs before the agent gets control; the first point that does not hold ends the run with its name (docs/design/sandbox.md). The
 * launcher, which waits for it, is told the verdict on a descriptor that is closed afterwards.
 */
export function runSelfCheck(profile: SandboxProfile): SelfCheckResult {
  const result = judge(profile);
  announce(result.ok ? 'passed\n' : `failed ${result.point}\n`);
  return result;
}

function judge(profile: SandboxProfile): SelfCheckResult {
  try {
    const evidence = gatherEvidence();
    for (const point of pointsOf(profile)) {
      const problem = point.problem(evidence);
      if (problem !== null) return { ok: false, point: `${point.name}: ${problem}` };
    }
    return { ok: true };
  } catch (error) {
    return { ok: false, point: `self-check: ${error instanceof Error ? error.message : 'unknown error'}` };
  }
}

function announce(verdict: string): void {
  const descriptor = Number(process.env[READY_VARIABLE]);
  delete process.env[READY_VARIABLE];
  if (!Number.isInteger(descriptor) || descriptor < 3) return;
  writeSync(descriptor, verdict);
  closeSync(descriptor);
}
