import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import type { updated } from '../servers/one-update.workflow.js';
import { forkServer } from './forked-server.js';

/**
 * Runs `use` beside `count` workflows whose updates do one activity each, on the given server.
 *
 * @param worker the module of `servers/` that does the activities, in a process of its own; `settings` are passed on
 */
export async function withUpdatedWorkflows<R>(
  { address, count, worker, settings }: { address: string; count: number; worker: string; settings?: object },
  use: (workflows: WorkflowHandle<typeof updated>[]) => Promise<R>,
): Promise<R> {
  const taskQueue = `bench-updates-${uuidv7()}`;
  await using server = await forkServer(worker, { ...settings, address, taskQueue });
  if (server.port === 0) throw new Error(`the worker ${worker} did not start`);
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const workflows = await Promise.all(
    Array.from({ length: count }, () =>
      client.workflow.start<typeof updated>('updated', { taskQueue, workflowId: uuidv7() }),
    ),
  );
  try {
    return await use(workflows);
  } finally {
    await Promise.all(workflows.map((workflow) => workflow.terminate()));
    await connection.close();
  }
}
