import { workerData } from 'node:worker_threads';

const LOOK_EVERY_MS = 500;
const parent = workerData as number;

// A process whose parent was killed gets another one, and nobody waits for its answer any more.
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, LOOK_EVERY_MS);
