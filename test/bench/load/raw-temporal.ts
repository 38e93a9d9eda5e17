import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { v7 as uuidv7 } from 'uuid';
import type { oneActivity } from '../servers/one-activity.workflow.js';

const TASK_QUEUE = 'bench-raw';

/** Milliseconds from starting a workflow to its first activity, `count` times one after the other, on the given server. */
export async function rawTemporalStarts(address: string, count: number): Promise<number[]> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  let arrived: () => void = () => undefined;
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL('../servers/one-activity.workflow.js', import.meta.url)),
    activities: {
      arrive: () => {
        arrived();
        return Promise.resolve();
      },
    },
  });
  const client = new Client({ connection: await Connection.connect({ address }) });
  const times: number[] = [];
  await worker.runUntil(async () => {
    for (let index = -3; index < count; index += 1) {
      const atActivity = new Promise<number>((resolve) => (arrived = () => resolve(performance.now())));
      const start = performance.now();
      const handle = await client.workflow.start<typeof oneActivity>('oneActivity', {
        taskQueue: TASK_QUEUE,
        workflowId: uuidv7(),
      });
      const time = (await atActivity) - start;
      await handle.result();
      if (index >= 0) times.push(time);
    }
  });
  await client.connection.close();
  await connection.close();
  return times;
}
