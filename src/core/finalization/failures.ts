import { redactText } from '../../domain/redaction/redact-text.js';
import type { Database } from '../record/database.js';
import { requestFinalization } from './finalization-requests.js';

/**
 * Ends a run as `failed`: writes the finalization request and one `run.error`. An earlier request wins and nothing is written.
 * `message` may carry foreign text, which the append redacts; `reason` is the run's status reason (default: the message).
 */
export async function recordFailure(
  database: Database,
  run: { organizationId: string; runId: string },
  message: string,
  reason = message,
): Promise<boolean> {
  return database.withTenant(run.organizationId, async (tx) => {
    const finalizationRequest = { outcome: 'failed', reason: redactText(reason), wantsQuiesce: false };
    const error = { actor: 'system', type: 'run.error', data: { message } } as const;
    return (await requestFinalization(tx, run.runId, finalizationRequest, [error])) === 'recorded';
  });
}
