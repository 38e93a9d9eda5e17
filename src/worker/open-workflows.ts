import type { Client } from '@temporalio/client';

/** Ids of the subjects whose workflow is open, one workflow for each. Visibility may lag by a moment. */
export async function openWorkflows(
  client: Client,
  names: { workflowType: string; workflowId(subjectId: string): string },
): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  const prefix = names.workflowId('');
  const query = `WorkflowType = '${names.workflowType}' AND ExecutionStatus = 'Running'`;
  for await (const listed of client.workflow.list({ query })) open.add(listed.workflowId.slice(prefix.length));
  return open;
}
