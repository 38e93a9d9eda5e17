import { Module } from '@nestjs/common';
import { CodehostConnections } from './codehost-connections.js';
import { ConnectionsController } from './connections.controller.js';
import { ConnectionsService } from './connections.service.js';
import { CreateConnectionService } from './create-connection.service.js';
import { InstallationApproval } from './installation-approval.js';
import { McpConnections } from './mcp-connections.js';
import { RepositoriesController } from './repositories.controller.js';
import { RepositoriesService } from './repositories.service.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  controllers: [ConnectionsController, RepositoriesController, WebhooksController],
  providers: [
    ConnectionsService,
    CreateConnectionService,
    McpConnections,
    CodehostConnections,
    InstallationApproval,
    RepositoriesService,
  ],
  exports: [McpConnections],
})
export class ConnectionsModule {}
