import { Module } from '@nestjs/common';
import { publicUrl } from '../../platform/config/index.js';
import { Database } from '../../platform/db/database.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { ConnectFlows } from '../../platform/oauth/connect-flows.js';
import { OAuthHttp } from '../../platform/oauth/oauth-http.js';
import { PublicAddress } from '../../platform/oauth/public-address.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { CapabilitiesModule } from '../capabilities/capabilities.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { ApiConfig } from '../foundation.module.js';
import { CatalogController } from './catalog.controller.js';
import { CatalogService } from './catalog.service.js';
import { ConnectConnectorService } from './connect-connector.service.js';

@Module({
  imports: [CapabilitiesModule, ConnectionsModule],
  controllers: [CatalogController],
  providers: [
    CatalogService,
    ConnectConnectorService,
    {
      provide: ConnectFlows,
      inject: [Database, Sealer, GuardedClient, ApiConfig],
      useFactory: (database: Database, sealer: Sealer, client: GuardedClient, config: ApiConfig) =>
        new ConnectFlows({
          database,
          sealer,
          http: new OAuthHttp(client),
          address: new PublicAddress(publicUrl(config.http)),
        }),
    },
  ],
  exports: [ConnectConnectorService],
})
export class CatalogModule {}
