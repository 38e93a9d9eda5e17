import { AuthConfig } from './auth.config.js';
import { CapacityConfig } from './capacity.config.js';
import { CodehostConfig } from './codehost.config.js';
import { DataConfig } from './data.config.js';
import { DatabaseConfig } from './database.config.js';
import { DeliveriesConfig } from './deliveries.config.js';
import { EgressConfig } from './egress.config.js';
import { HarnessConfig } from './harness.config.js';
import { HttpConfig } from './http.config.js';
import { LedgerConfig, LogConfig } from './ledger.config.js';
import { LimitsConfig } from './limits.config.js';
import { LlmConfig } from './llm.config.js';
import { NetworkConfig } from './network.config.js';
import { NoticesConfig } from './notices.config.js';
import { SandboxConfig } from './sandbox.config.js';
import { SealConfig } from './seal.config.js';
import { TelemetryConfig } from './telemetry.config.js';
import { TemporalConfig } from './temporal.config.js';
import { TimingConfig } from './timing.config.js';
import { WorkspaceConfig } from './workspace.config.js';

/** Every section of the configuration, in the order of docs/configuration.md. */
export const SECTIONS = {
  http: HttpConfig,
  auth: AuthConfig,
  data: DataConfig,
  database: DatabaseConfig,
  temporal: TemporalConfig,
  sandbox: SandboxConfig,
  workspace: WorkspaceConfig,
  codehost: CodehostConfig,
  harness: HarnessConfig,
  llm: LlmConfig,
  egress: EgressConfig,
  network: NetworkConfig,
  seal: SealConfig,
  notices: NoticesConfig,
  deliveries: DeliveriesConfig,
  capacity: CapacityConfig,
  ledger: LedgerConfig,
  log: LogConfig,
  telemetry: TelemetryConfig,
  limits: LimitsConfig,
  timing: TimingConfig,
} as const;

/** The whole configuration of one process, validated and frozen. */
export type SandgateConfig = { readonly [S in keyof typeof SECTIONS]: InstanceType<(typeof SECTIONS)[S]> };
