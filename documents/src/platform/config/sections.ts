import type { SectionValues } from '../../../../src/platform/config/read-sections.js';
import { DataConfig } from './data.config.js';
import { DatabaseConfig } from './database.config.js';
import { EgressConfig } from './egress.config.js';
import { HttpConfig } from './http.config.js';
import { QuotaConfig, RateConfig } from './limits.config.js';
import { ParsingConfig } from './parsing.config.js';
import { SealConfig } from './seal.config.js';
import { StoreConfig } from './store.config.js';
import { LogConfig, TelemetryConfig } from './telemetry.config.js';
import { TemporalConfig } from './temporal.config.js';
import { TimingConfig } from './timing.config.js';

/** Every section of the configuration, in the order of the page that describes it. */
export const SECTIONS = {
  http: HttpConfig,
  data: DataConfig,
  database: DatabaseConfig,
  temporal: TemporalConfig,
  store: StoreConfig,
  seal: SealConfig,
  egress: EgressConfig,
  parsing: ParsingConfig,
  rates: RateConfig,
  quotas: QuotaConfig,
  log: LogConfig,
  telemetry: TelemetryConfig,
  timing: TimingConfig,
} as const;

/** The whole configuration of one process, validated and frozen. */
export type DocsvcConfig = SectionValues<typeof SECTIONS>;
