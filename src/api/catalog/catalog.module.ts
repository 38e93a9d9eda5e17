import { Module } from '@nestjs/common';
import { CapabilitiesModule } from '../capabilities/capabilities.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { OauthModule } from '../oauth/oauth.module.js';
import { CatalogController } from './catalog.controller.js';
import { CatalogService } from './catalog.service.js';
import { ConnectConnectorService } from './connect-connector.service.js';

@Module({
  imports: [CapabilitiesModule, ConnectionsModule, OauthModule],
  controllers: [CatalogController],
  providers: [CatalogService, ConnectConnectorService],
  exports: [ConnectConnectorService],
})
export class CatalogModule {}
