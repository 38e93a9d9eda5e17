import { Injectable } from '@nestjs/common';
import type { SubscriptionTerms } from '../../core/triggers/subscription-check.js';
import { publicUrl } from '../../platform/config/index.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { ApiConfig } from '../foundation/foundation.module.js';

/** What this deployment checks triggers against. */
@Injectable()
export class TriggerTerms implements SubscriptionTerms {
  readonly codehost: SubscriptionTerms['codehost'];
  readonly publicUrl: string;

  constructor(
    config: ApiConfig,
    readonly egress: GuardedClient,
    readonly sealer: Sealer,
  ) {
    this.codehost = config.codehost;
    this.publicUrl = publicUrl(config.http);
  }
}
