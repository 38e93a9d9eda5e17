import { Module, type DynamicModule } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import { PriceList } from '../../domain/prices/price-list.js';
import { ConnectionCaches } from '../../core/connections/connection-caches.js';
import { ConnectionCredentials } from '../../core/connections/connection-credentials.js';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import { createConnectionServices } from '../../core/connections/connection-services.js';
import { ToolSnapshots } from '../../core/connections/tool-snapshots.js';
import { createRunCreation } from '../../core/creation/create-run-creation.js';
import { RunCreation } from '../../core/creation/run-creation.js';
import { HarnessAvailability } from '../../core/harnesses/harness-availability.js';
import { HarnessCatalog } from '../../core/harnesses/harness-catalog.js';
import { NetworkPresets } from '../../core/network/network-presets.js';
import { Database } from '../../core/record/database.js';
import { ScheduleDriver } from '../../core/driver/schedule-driver.js';
import { Codehost } from '../../core/codehost/codehost.js';
import type { SandgateConfig } from '../../platform/config/index.js';
import { Egress } from '../../platform/egress/egress.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { AccessTokens, createAccessTokens } from '../../core/oauth/access-tokens.js';
import { SubscriptionRuns } from '../../core/triggers/subscription-runs.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { createSealer } from '../../core/seal/create-sealer.js';
import { ToolCallPayloads } from '../../core/gate/tool-call-payloads.js';
import { Metrics } from '../../core/metrics/metrics.js';
import { Tracing } from '../../platform/telemetry/tracing.js';
import { BrokeredDispatch } from '../../platform/temporal/brokered-dispatch.js';
import { AdminToken } from '../auth/admin-token.js';
import { AuthTerms } from '../auth/auth-terms.js';
import { DeploymentOrganization } from '../auth/deployment-organization.js';

/** The configuration under a name that constructors can ask for. */
export abstract class ApiConfig implements SandgateConfig {
  abstract readonly http: SandgateConfig['http'];
  abstract readonly auth: SandgateConfig['auth'];
  abstract readonly data: SandgateConfig['data'];
  abstract readonly database: SandgateConfig['database'];
  abstract readonly temporal: SandgateConfig['temporal'];
  abstract readonly sandbox: SandgateConfig['sandbox'];
  abstract readonly workspace: SandgateConfig['workspace'];
  abstract readonly codehost: SandgateConfig['codehost'];
  abstract readonly harness: SandgateConfig['harness'];
  abstract readonly llm: SandgateConfig['llm'];
  abstract readonly egress: SandgateConfig['egress'];
  abstract readonly network: SandgateConfig['network'];
  abstract readonly seal: SandgateConfig['seal'];
  abstract readonly notices: SandgateConfig['notices'];
  abstract readonly deliveries: SandgateConfig['deliveries'];
  abstract readonly capacity: SandgateConfig['capacity'];
  abstract readonly ledger: SandgateConfig['ledger'];
  abstract readonly log: SandgateConfig['log'];
  abstract readonly telemetry: SandgateConfig['telemetry'];
  abstract readonly limits: SandgateConfig['limits'];
  abstract readonly timing: SandgateConfig['timing'];
}

/**
 * What the process has before its modules are made: configuration, database, the admin token and the organization that it acts
 * for.
 */
export interface Foundation {
  config: SandgateConfig;
  database: Database;
  adminToken: string;
  organizationId: string;
  /** Dispatches brokered calls to their runs' workflows; without it every such call is 503. */
  calls?: BrokeredDispatch;
  /** Told of schedules that were created or changed; without it they are left to the reconciliation. */
  schedules?: Pick<ScheduleDriver, 'sync'>;
  /** Where the spans of this process go; nowhere without it. */
  tracing?: Tracing;
  /** The way to hosts outside; by the configuration without it. */
  egress?: Egress;
  /** Where the lines of the log go; through the redactor to standard error without it. */
  logTo?: DestinationStream;
}

@Module({})
export class FoundationModule {
  static forProcess(foundation: Foundation): DynamicModule {
    const { config, database } = foundation;
    const metrics = new Metrics();
    metrics.observe(database);
    metrics.observeDeployment(database);
    const sealer = createSealer(database, config.seal);
    const egress = foundation.egress ?? new Egress(config.egress);
    const tokens = createAccessTokens({
      database,
      sealer,
      client: egress.guarded,
      onRefresh: (event) => metrics.oauthRefresh(event),
    });
    const codehost = new Codehost({ config: config.codehost, database, sealer, egress });
    const connections = createConnectionServices({ database, sealer, egress: egress.guarded, tokens }, [
      codehost.tokens,
    ]);
    const tracing = foundation.tracing ?? Tracing.off;
    const creation = createRunCreation(config, { egress: egress.guarded, metrics, tracing });
    const providers = [
      { provide: ApiConfig, useValue: config },
      { provide: Database, useValue: database },
      { provide: Egress, useValue: egress },
      { provide: GuardedClient, useValue: egress.guarded },
      { provide: NetworkPresets, useValue: creation.presets },
      { provide: Codehost, useValue: codehost },
      { provide: Metrics, useValue: metrics },
      { provide: HarnessCatalog, useValue: creation.catalog },
      { provide: HarnessAvailability, useValue: creation.availability },
      { provide: PriceList, useValue: creation.prices },
      { provide: RunCreation, useValue: creation.runs },
      { provide: SubscriptionRuns, useValue: new SubscriptionRuns(creation.runs) },
      { provide: BrokeredDispatch, useValue: foundation.calls ?? null },
      { provide: ScheduleDriver, useValue: foundation.schedules ?? { sync: () => Promise.resolve() } },
      { provide: Tracing, useValue: tracing },
      { provide: ToolCallPayloads, useValue: new ToolCallPayloads(database, sealer) },
      { provide: Sealer, useValue: sealer },
      { provide: ConnectionRecords, useValue: connections.records },
      { provide: ConnectionSecrets, useValue: connections.secrets },
      { provide: ConnectionCredentials, useValue: connections.credentials },
      { provide: ToolSnapshots, useValue: connections.snapshots },
      { provide: ConnectionCaches, useValue: connections.caches },
      { provide: AccessTokens, useValue: tokens },
      { provide: AdminToken, useValue: new AdminToken(foundation.adminToken) },
      { provide: AuthTerms, useValue: AuthTerms.of(config) },
      { provide: DeploymentOrganization, useValue: new DeploymentOrganization(foundation.organizationId) },
    ];
    return { module: FoundationModule, global: true, providers, exports: providers };
  }
}
