import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { serve, settings } from './report-port.js';

const { address, taskQueue } = settings<{ address: string; taskQueue: string }>();
Runtime.install({ logger: new DefaultLogger('WARN') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./one-update.workflow.js', import.meta.url)),
  activities: { arrive: () => Promise.resolve() },
});
void worker.run();
// The port says that it is there.
serve(createServer((_request, response) => response.end()));
