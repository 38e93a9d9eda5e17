import type { SandgateConfig } from '../config/index.js';
import type { Database } from '../db/database.js';
import type { Logger } from '../telemetry/logger.js';
import { TemporalOutboxDispatcher } from './outbox-dispatcher.js';
import { RunDriver, connectTemporalClient, type RunWorkflowNames } from './run-driver.js';

/** A process's way to the driver. `close` waits for wake-ups under way; rows that stay behind are the relay's. */
export interface ConnectedDriver {
  close(): Promise<void>;
}

/** Makes committed wake-ups of this process reach Temporal. An unreachable Temporal delays them, it does not fail callers. */
export function connectDriver(
  config: SandgateConfig,
  database: Database,
  names: RunWorkflowNames,
  log: Pick<Logger, 'warn'>,
): ConnectedDriver {
  const client = connectTemporalClient(config.temporal);
  const dispatcher = new TemporalOutboxDispatcher(
    new RunDriver(client, names, config.timing.workflowTaskMs),
    database.pool,
    (rows, cause) => log.warn({ err: cause, wakeUps: rows.length }, 'wake-ups are left to the relay'),
  );
  database.outbox = dispatcher;
  return {
    close: async () => {
      await dispatcher.drained();
      await client.connection.close();
    },
  };
}
