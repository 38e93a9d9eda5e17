import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { serve } from './report-port.js';

/** Starts a worker whose workflows do the given activity once for each of their updates. */
export async function runWorker(
  address: string,
  taskQueue: string,
  arrive: (call: string) => Promise<void>,
): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./one-update.workflow.js', import.meta.url)),
    activities: { arrive },
  });
  void worker.run();
  // The port says that it is there.
  serve(createServer((_request, response) => response.end()));
}
