import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../log/failure-text.js';
import type { RunnerLog } from '../log/runner-log.js';
import type { RunStop } from './run-stop.js';
import type { PlaneClient } from './plane-client.js';

/**
 * Sends heartbeats until the run stops or `signal` fires. A lost one is logged and not repeated; the control plane decides when a
 * run is stale. The directive `quiesce` stops the run (docs/design/runner.md).
 */
export async function keepBeating(
  plane: PlaneClient,
  stop: RunStop,
  signal: AbortSignal,
  log: RunnerLog,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if ((await plane.heartbeat()) === 'quiesce') {
        log('the control plane asked the run to stop');
        stop.request({ kind: 'quiesce' });
      }
    } catch (error) {
      if (!signal.aborted) log(`heartbeat failed: ${messageOf(error)}`);
    }
    await pause(plane.timing.heartbeatEveryMs, signal);
  }
}

/** Renews the tokens at the start and then every 45 minutes; stops for good when nothing is left to renew. */
export async function keepRenewing(plane: PlaneClient, signal: AbortSignal, log: RunnerLog): Promise<void> {
  while (!signal.aborted) {
    const answer = await renewOnce(plane, signal, log);
    if (answer === 'final') return;
    await pause(answer === 'renewed' ? plane.timing.renewAfterSuccessMs : plane.timing.renewAfterFailureMs, signal);
  }
}

async function renewOnce(
  plane: PlaneClient,
  signal: AbortSignal,
  log: RunnerLog,
): Promise<'renewed' | 'final' | 'transient'> {
  try {
    return await plane.renewTokens();
  } catch (error) {
    if (!signal.aborted) log(`token renewal failed: ${messageOf(error)}`);
    return 'transient';
  }
}

/** Resolves early, and quietly, when the signal fires. The timer keeps no process alive. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
