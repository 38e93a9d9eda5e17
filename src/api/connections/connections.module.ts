import { Module } from '@nestjs/common';
import { ConnectionsController } from './connections.controller.js';
import { ConnectionsService } from './connections.service.js';
import { CreateConnectionService } from './create-connection.service.js';
import { McpConnections } from './mcp-connections.js';

@Module({
  controllers: [ConnectionsController],
  providers: [ConnectionsService, CreateConnectionService, McpConnections],
  exports: [McpConnections],
})
export class ConnectionsModule {}
