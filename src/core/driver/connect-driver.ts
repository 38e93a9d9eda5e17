import type { SandgateConfig } from '../../platform/config/index.js';
import type { Database } from '../record/database.js';
import type { Logger } from '../../platform/telemetry/logger.js';
import { BrokeredDispatch } from '../../platform/temporal/brokered-dispatch.js';
import { RunDriver } from '../../platform/temporal/run-driver.js';
import { WorkflowStarter } from '../../platform/temporal/workflow-starter.js';
import type {
  BrokeredCallNames,
  RunWorkflowNames,
  ScheduledWorkflowNames,
  StartedWorkflowNames,
} from '../../platform/temporal/workflow-names.js';
import { ApprovalNotices } from './approval-notices.js';
import { DeliveryWorkflows } from './delivery-workflows.js';
import { Driver, type StoredWebhookRef } from './driver.js';
import { StoredWebhooks } from './stored-webhooks.js';
import { TemporalOutboxDispatcher } from './outbox-dispatcher.js';
import { ScheduleDriver } from './schedule-driver.js';
import { TriggerSchedules } from '../../platform/temporal/trigger-schedules.js';
import { connectTemporalClient, type TemporalClient } from '../../platform/temporal/connect-client.js';

/** The workflows that wake-ups are for. */
export interface DrivenWorkflows {
  run: RunWorkflowNames;
  notice: StartedWorkflowNames;
  delivery: StartedWorkflowNames;
  event: StartedWorkflowNames;
  schedule: ScheduledWorkflowNames;
}

/** What a process drives through Temporal. */
export interface Drivers {
  runs: RunDriver;
  /** Null when no webhook for pending approvals is configured. */
  notices: ApprovalNotices | null;
  deliveries: DeliveryWorkflows;
  webhooks: StoredWebhooks;
  /** For the rows of the outbox. */
  outbox: Driver;
}

export function createDrivers(
  { notices: webhook, timing }: Pick<SandgateConfig, 'notices' | 'timing'>,
  database: Database,
  client: TemporalClient,
  names: DrivenWorkflows,
): Drivers {
  const runs = new RunDriver(client, names.run, timing.workflowTaskMs);
  const notices =
    webhook.url === null ? null : new ApprovalNotices(new WorkflowStarter(client, names.notice), database);
  const deliveries = new DeliveryWorkflows(new WorkflowStarter(client, names.delivery), database);
  const events = new WorkflowStarter<StoredWebhookRef>(client, names.event);
  const webhooks = new StoredWebhooks(events, database);
  const outbox = new Driver({ runs, notices, deliveries, events });
  return { runs, notices, deliveries, webhooks, outbox };
}

/** Keeps Temporal Schedules in line with the rows of schedules. */
export function createScheduleDriver(
  database: Database,
  client: TemporalClient,
  names: Pick<DrivenWorkflows, 'schedule'>,
  log: Pick<Logger, 'warn'>,
): ScheduleDriver {
  const schedules = new TriggerSchedules(client, names.schedule);
  return new ScheduleDriver({ database, schedules, log, now: () => new Date() });
}

/** A process's connection to the driver. `close` waits for wake-ups under way; the relay sends what is left. */
export interface ConnectedDriver {
  /** Brings brokered calls to their runs' workflows. */
  readonly calls: BrokeredDispatch;
  /** To be told of schedules that were created or changed. */
  readonly schedules: ScheduleDriver;
  close(): Promise<void>;
}

/** Makes committed wake-ups of this process reach Temporal. An unreachable Temporal delays them, it does not fail callers. */
export function connectDriver(
  config: SandgateConfig,
  database: Database,
  names: DrivenWorkflows & { run: RunWorkflowNames & BrokeredCallNames },
  log: Pick<Logger, 'warn'>,
): ConnectedDriver {
  const client = connectTemporalClient(config.temporal);
  const drivers = createDrivers(config, database, client, names);
  const dispatcher = new TemporalOutboxDispatcher(drivers.outbox, database.pool, (rows, cause) =>
    log.warn({ err: cause, wakeUps: rows.length }, 'wake-ups are left to the relay'),
  );
  database.outbox = dispatcher;
  return {
    calls: new BrokeredDispatch(client, drivers.runs, names.run),
    schedules: createScheduleDriver(database, client, names, log),
    close: async () => {
      await dispatcher.drained();
      await client.connection.close();
    },
  };
}
