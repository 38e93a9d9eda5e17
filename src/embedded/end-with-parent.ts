import { ORPHAN_GRACE_MS } from './stop-times.js';

/**
 * Preloaded into the API and the worker: when the supervisor's channel closes without a stop, the supervisor was killed, and
 * the process stops in an orderly way, and after a moment by force.
 */

process.on('disconnect', () => {
  setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();
