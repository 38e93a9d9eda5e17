import { connectTemporalClient, type TemporalClient } from '../../../../src/platform/temporal/connect-client.js';
import type { Logger } from '../../../../src/platform/telemetry/logger.js';
import type { TemporalConfig } from '../../platform/config/temporal.config.js';
import type { TimingConfig } from '../../platform/config/timing.config.js';
import { WorkflowWaker, type WokenWorkflowNames } from '../../platform/temporal/workflow-waker.js';
import type { OutboxKind } from '../record/outbox.js';
import type { Record as DocsvcRecord } from '../record/record.js';
import { TemporalOutboxDispatcher } from './outbox-dispatcher.js';

/** A process's connection to the driver. `close` waits for wake-ups under way; the relay sends what is left. */
export interface ConnectedDriver {
  readonly client: TemporalClient;
  readonly dispatcher: TemporalOutboxDispatcher;
  close(): Promise<void>;
}

/** The settings that a connection to the driver needs. */
export interface DriverConfig {
  temporal: Pick<TemporalConfig, 'connection' | 'namespace'>;
  timing: Pick<TimingConfig, 'workflowTaskMs'>;
}

/** Makes committed wake-ups of this process reach Temporal. An unreachable Temporal delays them, it does not fail callers. */
export function connectDriver(
  { temporal, timing }: DriverConfig,
  record: DocsvcRecord,
  names: Record<OutboxKind, WokenWorkflowNames>,
  log: Pick<Logger, 'warn'>,
): ConnectedDriver {
  const client = connectTemporalClient(temporal);
  const waker = (kind: OutboxKind): WorkflowWaker => new WorkflowWaker(client, names[kind], timing.workflowTaskMs);
  const wakers = { ingest: waker('ingest'), deliver: waker('deliver'), extract: waker('extract') };
  const dispatcher = new TemporalOutboxDispatcher(wakers, record, (rows, cause) =>
    log.warn({ err: cause, wakeUps: rows.length }, 'wake-ups are left to the relay'),
  );
  record.outbox = dispatcher;
  return {
    client,
    dispatcher,
    close: async () => {
      await dispatcher.drained();
      await client.connection.close();
    },
  };
}
