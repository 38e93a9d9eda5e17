import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../workflows/messages.js';

const PREFIX = runWorkflowId('');

/** Ids of the runs whose workflow is open. Visibility may lag by a moment. */
export async function openRunWorkflows(client: Client): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  const query = `WorkflowType = 'run' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) open.add(workflowId.slice(PREFIX.length));
  return open;
}
