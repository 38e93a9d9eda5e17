import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  type Client,
} from '@temporalio/client';
import { CONTROL_QUEUE, MAINTENANCE_SCHEDULE_ID, RELAY_WORKFLOW_ID } from '../workflows/messages.js';

/**
 * Makes sure that the relay runs and the maintenance schedule exists. Called at boot and while the worker lives, because a
 * driver whose store was lost has neither (docs/design/workflows.md).
 */
export async function ensurePermanentWorkflows(client: Client, maintenanceMs: number): Promise<void> {
  await client.workflow.start('relay', {
    workflowId: RELAY_WORKFLOW_ID,
    taskQueue: CONTROL_QUEUE,
    args: [],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: 'Re-sends wake-ups that were committed and not delivered',
  });
  try {
    await client.schedule.create({
      scheduleId: MAINTENANCE_SCHEDULE_ID,
      spec: { intervals: [{ every: maintenanceMs }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1m' },
      action: { type: 'startWorkflow', workflowType: 'maintenance', taskQueue: CONTROL_QUEUE, args: [] },
    });
  } catch (cause) {
    if (!(cause instanceof ScheduleAlreadyRunning)) throw cause;
  }
}
