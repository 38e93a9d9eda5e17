import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { McpController } from './mcp.controller.js';
import { McpServersService } from './servers.service.js';

@Module({ imports: [CatalogModule], controllers: [McpController], providers: [McpServersService] })
export class McpModule {}
