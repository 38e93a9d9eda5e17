import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../log/failure-text.js';
import type { RunnerLog } from '../log/runner-log.js';
import type { RunStop } from './run-stop.js';
import type { ContractClient } from './contract-client.js';

/**
 * Sends heartbeats until the run stops or `signal` fires. A lost one is logged and not repeated; the control plane decides when a
 * run is stale. The directive `quiesce` stops the run (docs/design/runner.md).
 */
export async function keepBeating(
  contract: ContractClient,
  stop: RunStop,
  signal: AbortSignal,
  log: RunnerLog,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if ((await contract.heartbeat()) === 'quiesce') {
        log('the control plane asked the run to stop');
        stop.request({ kind: 'quiesce' });
      }
    } catch (error) {
      if (!signal.aborted) log(`heartbeat failed: ${messageOf(error)}`);
    }
    await pause(contract.timing.heartbeatEveryMs, signal);
  }
}

/** Renews the tokens at the start and then every 45 minutes; stops for good when nothing is left to renew. */
export async function keepRenewing(contract: ContractClient, signal: AbortSignal, log: RunnerLog): Promise<void> {
  while (!signal.aborted) {
    const answer = await renewOnce(contract, signal, log);
    if (answer === 'final') return;
    await pause(
      answer === 'renewed' ? contract.timing.renewAfterSuccessMs : contract.timing.renewAfterFailureMs,
      signal,
    );
  }
}

async function renewOnce(
  contract: ContractClient,
  signal: AbortSignal,
  log: RunnerLog,
): Promise<'renewed' | 'final' | 'transient'> {
  try {
    return await contract.renewTokens();
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
