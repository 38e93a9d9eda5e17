import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import { ConnectFlows } from '../../core/oauth/connect-flows.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, userIdOf, viewerOf, type Principal } from '../auth/principal.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { StartedConnectFlow } from './oauth.dto.js';

@ApiTags('Connections')
@Controller('v1/connections')
export class OauthStartController {
  constructor(
    private readonly connections: ConnectionRecords,
    private readonly flows: ConnectFlows,
  ) {}

  @Post(':id/oauth/start')
  @HttpCode(200)
  @Permission('connections.write')
  @ApiOperation({ summary: 'Start a connect flow, or a reconnect, to finish in a browser within ten minutes' })
  @IdParam('id', 'connection')
  @Answer(StartedConnectFlow, 'A one-time flow.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  async startConnectFlow(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
  ): Promise<StartedConnectFlow> {
    const connection = await this.connections.getToChange(viewerOf(principal), pathId(id, 'connection'));
    const { organizationId } = principal;
    const goUrl = await this.flows.start({ organizationId, connectionId: connection.id, userId: userIdOf(principal) });
    return { go_url: goUrl };
  }
}
