import { Module } from '@nestjs/common';
import { Codehost } from '../../core/codehost/codehost.js';
import { ConnectionCaches } from '../../core/connections/connection-caches.js';
import { InstallationEvents } from '../../core/ingress/installation-events.js';
import { WebhookIngress } from '../../core/ingress/webhook-ingress.js';
import { WebhookSenders } from '../../core/ingress/webhook-senders.js';
import { WebhookStore } from '../../core/ingress/webhook-store.js';
import { Database } from '../../core/record/database.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { IngressController } from './ingress.controller.js';

@Module({
  controllers: [IngressController],
  providers: [
    {
      provide: WebhookIngress,
      inject: [Database, Sealer, Codehost, ConnectionCaches],
      useFactory: (database: Database, sealer: Sealer, { api, tokens }: Codehost, caches: ConnectionCaches) =>
        new WebhookIngress(
          new WebhookSenders(database, sealer),
          new WebhookStore(database),
          new InstallationEvents({ database, api, tokens, caches }),
        ),
    },
  ],
})
export class IngressModule {}
