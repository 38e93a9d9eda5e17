import { ORPHAN_GRACE_MS } from './stop-times.js';

/**
 * Preloaded into the API and the worker: when the supervisor's channel closes without a stop, the supervisor was killed, and
 * the process ends in its orderly way, or after a moment in the other one.
 */

process.on('disconnect', () => {
  setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();
