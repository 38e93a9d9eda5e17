import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/client';
import { DUTIES, INGEST_QUEUE, RELAY_WORKFLOW_ID } from '../workflows/messages.js';

/**
 * Makes sure that the relay runs and that every duty has its schedule. Called at boot and while the worker lives, because a driver whose
 * store was lost has neither.
 */
export async function ensurePermanentWorkflows(client: Client): Promise<void> {
  await client.workflow.start('relay', {
    workflowId: RELAY_WORKFLOW_ID,
    taskQueue: INGEST_QUEUE,
    args: [],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: 'Sends again wake-ups that were committed and not delivered',
  });
  for (const { scheduleId, every, workflowType, summary } of DUTIES) {
    try {
      await client.schedule.create({
        scheduleId,
        spec: { intervals: [{ every }] },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
        action: { type: 'startWorkflow', workflowType, taskQueue: INGEST_QUEUE, args: [], staticSummary: summary },
      });
    } catch (cause) {
      if (!(cause instanceof ScheduleAlreadyRunning)) throw cause;
    }
  }
}
