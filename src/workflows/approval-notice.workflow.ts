import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { ApprovalNoticeActivities, ApprovalRef } from '../activities/run-activities.js';

/** What the receiver answers is a result; only a step that could not be taken at all is tried again here. */
const { deliverNotice } = proxyActivities<ApprovalNoticeActivities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  summary: 'Tell the webhook that a tool call waits for a human',
});

/**
 * Notifies people of one pending approval, at least once, until the receiver takes it or it is settled
 * (docs/design/workflows.md).
 */
export async function approvalNotice(approval: ApprovalRef): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    setCurrentDetails(`Sends the notice, attempt ${attempt}.`);
    const { waitMs } = await deliverNotice(approval, attempt);
    if (waitMs === null) return;
    setCurrentDetails(`Attempt ${attempt} failed; waits before the next one.`);
    await sleep(waitMs);
  }
}
