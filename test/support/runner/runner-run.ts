import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTRACT_TIMING } from '../../../src/runner/contract/contract-timing.js';
import type { ContractTiming } from '../../../src/runner/contract/contract-timing.js';
import type { ExitCode } from '../../../src/runner/exit-codes.js';
import { readSettings } from '../../../src/runner/launch/runner-settings.js';
import { runRunner } from '../../../src/runner/runner.js';
import type { RunnerOptions } from '../../../src/runner/runner.js';
import type { ScriptedPlane } from '../plane/scripted-plane.js';

/** The contract's timing with every wait a hundredth or less, so that retries are really waited out. */
export const FAST_TIMING: ContractTiming = {
  ...CONTRACT_TIMING,
  permissionRetryStepMs: 10,
  permissionRetryCapMs: 40,
  retryStepMs: 5,
  retryCapMs: 20,
  brokeredRetryWaitsMs: [5, 10],
  heartbeatEveryMs: 50,
  renewAfterFailureMs: 50,
  lastWordTimeoutMs: 1_000,
  brokenReplyStepMs: 5,
};

export interface TestRun {
  exitCode: Promise<ExitCode>;
  workspace: string;
  lines: string[];
  cleanUp: () => Promise<void>;
}

/** A runner in this process against a test plane, in a workspace of its own. */
export async function startRun(
  plane: ScriptedPlane,
  variables: Record<string, string>,
  changes: Partial<RunnerOptions> = {},
): Promise<TestRun> {
  const workspace = await mkdtemp(join(tmpdir(), 'workspace-'));
  const lines: string[] = [];
  const settings = readSettings({
    SERVICE_CONTROL_URL: 'http://plane',
    SERVICE_PLANE_SOCKET: plane.socketPath,
    SERVICE_SESSION_ID: plane.runId,
    SERVICE_MODEL: 'claude-haiku-4-5',
    SERVICE_WORKSPACE: workspace,
    SERVICE_REPLAY_DELAY_MS: '0',
    ...variables,
  });
  const exitCode = runRunner({
    settings,
    tokens: plane.tokens,
    selfCheck: () => ({ ok: true }),
    log: (line) => lines.push(line),
    timing: FAST_TIMING,
    ...changes,
  });
  return { exitCode, workspace, lines, cleanUp: () => rm(workspace, { recursive: true, force: true }) };
}
