import { setTimeout as delay } from 'node:timers/promises';
import { SandgateError } from '../../domain/errors.js';
import { planeSocketAccepts } from './plane-socket-path.js';

const PATIENCE_MS = 30_000;
const ANSWER_MS = 1_000;
const RETRY_MS = 20;

/**
 * Waits until the API process of this host listens on the run's plane socket, so that the runner finds it at its first call.
 * @throws SandgateError `unavailable` after 30 s.
 */
export async function waitForPlane(dataDir: string, runId: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await planeSocketAccepts(dataDir, runId, ANSWER_MS))) {
    if (Date.now() > deadline) {
      throw new SandgateError(
        'unavailable',
        'The API process of this host did not open the plane socket of the run within 30 s.',
      );
    }
    await delay(RETRY_MS, undefined, { signal });
  }
}
