import { Module } from '@nestjs/common';
import { WebhookSecrets } from '../../core/webhooks/webhook-secrets.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesService } from './deliveries.service.js';
import { WebhookRules } from './webhook-rules.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    WebhooksService,
    DeliveriesService,
    WebhookRules,
    {
      provide: WebhookSecrets,
      inject: [ApiConfig],
      useFactory: ({ seal }: ApiConfig) => new WebhookSecrets(new Sealer(seal.key)),
    },
  ],
})
export class WebhooksModule {}
