import { createServer } from 'node:http';
import { runWorker } from './one-update-worker.js';
import { serve, settings } from './report-port.js';

const { address, taskQueue } = settings<{ address: string; taskQueue: string }>();
await runWorker(address, taskQueue, () => Promise.resolve());
// The port says that it is there.
serve(createServer((_request, response) => response.end()));
