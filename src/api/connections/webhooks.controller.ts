import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import { listWebhooks } from '../../core/ingress/webhook-store.js';
import { Database } from '../../core/record/database.js';
import { pathId } from '../../domain/resource-id.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, viewerOf, type Principal } from '../auth/principal.js';
import { runViewerOf } from '../auth/run-viewer.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { toWebhookView, WebhookList } from './webhooks.dto.js';

const NEWEST = 30;

@ApiTags('Connections')
@Controller('v1/connections/:id/deliveries')
export class WebhooksController {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionRecords,
  ) {}

  @Get()
  @Permission('connections.read')
  @ApiOperation({ summary: 'List the webhooks that came to a connection, and what came of each' })
  @IdParam('id', 'connection')
  @Answer(WebhookList, 'The newest of them.')
  @Failures(400, 401, 404, 503)
  async listWebhooks(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<WebhookList> {
    const viewer = viewerOf(principal);
    const connection = await this.connections.get(viewer, pathId(id, 'connection'));
    const rows = await this.database.withTenant(viewer.organizationId, (tx) => listWebhooks(tx, connection.id, NEWEST));
    const seesRuns = runViewerOf(principal).invokedBy === null;
    return { deliveries: rows.map((row) => toWebhookView(row, seesRuns)) };
  }
}
