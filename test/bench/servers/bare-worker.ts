import { runWorker } from './one-update-worker.js';
import { settings } from './report-port.js';

const { address, taskQueue } = settings<{ address: string; taskQueue: string }>();
await runWorker(address, taskQueue, () => Promise.resolve());
