import { createBrokerActivities } from '../activities/brokered-call.activities.js';
import type { BrokerActivities } from '../activities/run-activities.js';
import { CallTargets } from '../core/broker/call-targets.js';
import { BrokeredUpstream } from '../core/broker/upstream-caller.js';
import { UpstreamSessions } from '../core/broker/upstream-sessions.js';
import type { SandgateConfig } from '../platform/config/index.js';
import { ConnectionCredentials } from '../core/connections/connection-credentials.js';
import { ConnectionRecords } from '../core/connections/connection-records.js';
import { ConnectionSecrets } from '../core/connections/connection-secrets.js';
import type { Database } from '../core/record/database.js';
import type { Egress } from '../platform/egress/egress.js';
import { OutboundLimits } from '../core/broker/outbound-limits.js';
import { createAccessTokens } from '../core/oauth/access-tokens.js';
import { createSealer } from '../core/seal/create-sealer.js';
import { ToolCallPayloads } from '../core/gate/tool-call-payloads.js';
import type { Logger } from '../platform/telemetry/logger.js';
import type { Metrics } from '../core/metrics/metrics.js';

/** The broker of a worker process: what it needs to call upstream servers, each one instance. */
export function brokerActivities(
  config: Pick<SandgateConfig, 'seal' | 'egress'>,
  on: { database: Database; egress: Egress; metrics: Metrics; log: Logger },
): BrokerActivities {
  const { database, egress, metrics, log } = on;
  const sealer = createSealer(database, config.seal);
  const client = egress.guarded;
  const onRefresh = metrics.oauthRefresh.bind(metrics);
  const tokens = createAccessTokens({ database, sealer, client, onRefresh });
  const records = new ConnectionRecords(database);
  const credentials = new ConnectionCredentials(new ConnectionSecrets(database, sealer), tokens);
  const targets = new CallTargets(database);
  const sessions = new UpstreamSessions({ database, client, records });
  const limits = new OutboundLimits(config.egress, { pool: database.pool, registry: metrics.registry, log });
  const upstream = new BrokeredUpstream({ sessions, targets, credentials, tokens, records, limits });
  return createBrokerActivities({ database, payloads: new ToolCallPayloads(database, sealer), targets, upstream, log });
}
