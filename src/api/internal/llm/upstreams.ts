import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { DIALECTS } from '../../../domain/models/dialect.js';
import type { Dialect } from '../../../domain/models/dialect.js';
import { SandgateError } from '../../../domain/errors.js';
import { Egress } from '../../../platform/egress/egress.js';
import { missingUpstream, ModelUpstream, providerStores } from '../../../platform/llm/upstream.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { refusal } from './refusal.js';

/** The model providers of this deployment, one for each dialect that it serves. */
@Injectable()
export class Upstreams implements OnApplicationShutdown {
  readonly providerStores: boolean;
  private readonly served: ReadonlyMap<Dialect, ModelUpstream>;

  constructor(
    private readonly config: ApiConfig,
    egress: Egress,
  ) {
    const { llm } = config;
    this.providerStores = providerStores(llm);
    const dialects = DIALECTS.filter((dialect) => missingUpstream(llm, dialect) === null);
    const connect = egress.operatorConnector();
    this.served = new Map(dialects.map((dialect) => [dialect, new ModelUpstream(llm, dialect, connect)]));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.served.values()].map((upstream) => upstream.close()));
  }

  /** The refusal of a dialect that this deployment's providers do not speak (docs/design/model-gateway.md, step 6). */
  unservedRefusal(dialect: Dialect): SandgateError | null {
    if (this.served.size === 0 || this.served.has(dialect)) return null;
    return refusal('upstream_failed', missingUpstream(this.config.llm, dialect) ?? 'no model provider', 'final');
  }

  /** Step 13: throws `unavailable` when there is no provider at all. */
  require(dialect: Dialect): ModelUpstream {
    const upstream = this.served.get(dialect);
    if (upstream !== undefined) return upstream;
    throw refusal('unavailable', missingUpstream(this.config.llm, dialect) ?? 'no model provider', 'final');
  }

  /** Whether `require` would find one. */
  has(dialect: Dialect): boolean {
    return this.served.has(dialect);
  }
}
