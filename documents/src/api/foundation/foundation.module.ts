import { Module, type DynamicModule } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import { Record } from '../../core/record/record.js';
import type { Metrics } from '../../platform/telemetry/metrics.js';
import type { DocsvcConfig } from '../../platform/config/index.js';

/** The configuration under a name that constructors can ask for. */
export abstract class ApiConfig implements DocsvcConfig {
  abstract readonly http: DocsvcConfig['http'];
  abstract readonly data: DocsvcConfig['data'];
  abstract readonly database: DocsvcConfig['database'];
  abstract readonly temporal: DocsvcConfig['temporal'];
  abstract readonly store: DocsvcConfig['store'];
  abstract readonly seal: DocsvcConfig['seal'];
  abstract readonly egress: DocsvcConfig['egress'];
  abstract readonly parsing: DocsvcConfig['parsing'];
  abstract readonly rates: DocsvcConfig['rates'];
  abstract readonly quotas: DocsvcConfig['quotas'];
  abstract readonly log: DocsvcConfig['log'];
  abstract readonly telemetry: DocsvcConfig['telemetry'];
  abstract readonly timing: DocsvcConfig['timing'];
}

/** What the process has before its modules are made. */
export interface Foundation {
  config: DocsvcConfig;
  record: Record;
  /** Where the lines of the log go; through the redactor to standard error without it. */
  logTo?: DestinationStream;
  /** Measures requests, where somebody looks. */
  metrics?: Metrics;
}

@Module({})
export class FoundationModule {
  static forProcess({ config, record }: Foundation): DynamicModule {
    const providers = [
      { provide: ApiConfig, useValue: config },
      { provide: Record, useValue: record },
    ];
    return { module: FoundationModule, global: true, providers, exports: providers };
  }
}
