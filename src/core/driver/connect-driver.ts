import type { SandgateConfig } from '../../platform/config/index.js';
import type { Database } from '../record/database.js';
import type { Logger } from '../../platform/telemetry/logger.js';
import { BrokeredDispatch } from '../../platform/temporal/brokered-dispatch.js';
import { NoticeStarter } from '../../platform/temporal/notice-starter.js';
import { RunDriver } from '../../platform/temporal/run-driver.js';
import type {
  BrokeredCallNames,
  NoticeWorkflowNames,
  RunWorkflowNames,
} from '../../platform/temporal/workflow-names.js';
import { ApprovalNotices, TellingRunDriver } from './approval-notices.js';
import { TemporalOutboxDispatcher } from './outbox-dispatcher.js';
import { connectTemporalClient, type TemporalClient } from '../../platform/temporal/connect-client.js';

/** A process's connection to the driver. `close` waits for wake-ups under way; the relay sends what is left. */
export interface ConnectedDriver {
  /** Brings brokered calls to their runs' workflows. */
  readonly calls: BrokeredDispatch;
  close(): Promise<void>;
}

/** Starts and wakes runs and, where a webhook is configured, the notices of their approvals. */
export function createRunDriver(
  { notices, timing }: Pick<SandgateConfig, 'notices' | 'timing'>,
  database: Database,
  client: TemporalClient,
  names: { run: RunWorkflowNames; notice: NoticeWorkflowNames },
): RunDriver {
  if (notices.url === null) return new RunDriver(client, names.run, timing.workflowTaskMs);
  const told = new ApprovalNotices(new NoticeStarter(client, names.notice), database);
  return new TellingRunDriver(told, client, names.run, timing.workflowTaskMs);
}

/** Makes committed wake-ups of this process reach Temporal. An unreachable Temporal delays them, it does not fail callers. */
export function connectDriver(
  config: SandgateConfig,
  database: Database,
  names: { run: RunWorkflowNames & BrokeredCallNames; notice: NoticeWorkflowNames },
  log: Pick<Logger, 'warn'>,
): ConnectedDriver {
  const client = connectTemporalClient(config.temporal);
  const driver = createRunDriver(config, database, client, names);
  const dispatcher = new TemporalOutboxDispatcher(driver, database.pool, (rows, cause) =>
    log.warn({ err: cause, wakeUps: rows.length }, 'wake-ups are left to the relay'),
  );
  database.outbox = dispatcher;
  return {
    calls: new BrokeredDispatch(client, driver, names.run),
    close: async () => {
      await dispatcher.drained();
      await client.connection.close();
    },
  };
}
