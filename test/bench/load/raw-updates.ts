import { Client, Connection } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import type { oneUpdate, updated } from '../servers/one-update.workflow.js';
import { closedLoop, type Loop, type LoopResult } from './closed-loop.js';
import { forkServer } from './forked-server.js';

/** Bare updates with one activity each on the given server, over `workflows` of them; the worker is a process of its own. */
export async function rawUpdates(address: string, workflows: number, loop: Omit<Loop, 'call'>): Promise<LoopResult> {
  const taskQueue = `bench-updates-${uuidv7()}`;
  await using worker = await forkServer('raw-updates', { address, taskQueue });
  if (worker.port === 0) throw new Error('the worker of the baseline did not start');
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const handles = await Promise.all(
    Array.from({ length: workflows }, () =>
      client.workflow.start<typeof updated>('updated', { taskQueue, workflowId: uuidv7() }),
    ),
  );
  try {
    return await closedLoop({
      ...loop,
      call: (caller) => handles[caller % workflows]!.executeUpdate<void, [], typeof oneUpdate.name>('oneUpdate'),
    });
  } finally {
    await Promise.all(handles.map((handle) => handle.terminate()));
    await connection.close();
  }
}
