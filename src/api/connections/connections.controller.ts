import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, viewerOf, type Principal } from '../auth/principal.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { Connection, ConnectionList, CreatedConnection, RefreshedSnapshot, Snapshot } from './connections.dto.js';
import { CreateConnection } from './create-connection.dto.js';
import { ConnectionsService } from './connections.service.js';
import { CreateConnectionService } from './create-connection.service.js';

@ApiTags('Connections')
@Controller('v1/connections')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly creation: CreateConnectionService,
  ) {}

  @Get()
  @Permission('connections.read')
  @ApiOperation({ summary: "List the organization's connections and the caller's own" })
  @Answer(ConnectionList, 'What the caller may see.')
  @Failures(400, 401, 503)
  listConnections(@CurrentPrincipal() principal: Principal): Promise<ConnectionList> {
    return this.connections.list(viewerOf(principal));
  }

  @Post()
  @HttpCode(200)
  @Permission('connections.write')
  @ApiOperation({ summary: 'Connect a code host or a remote MCP server' })
  @ApiBody({ type: CreateConnection })
  @Answer(CreatedConnection, 'The connection; never a secret.')
  @Failures(400, 401, 403, 409, 413, 415, 502, 503)
  createConnection(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateConnection,
  ): Promise<CreatedConnection> {
    return this.creation.create(viewerOf(principal), body);
  }

  @Get(':id')
  @Permission('connections.read')
  @ApiOperation({ summary: 'Read a connection' })
  @IdParam('id', 'connection')
  @Answer(Connection, 'The connection.')
  @Failures(400, 401, 404, 503)
  readConnection(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<Connection> {
    return this.connections.read(viewerOf(principal), pathId(id, 'connection'));
  }

  @Post(':id/approve')
  @HttpCode(200)
  @Permission('connections.write')
  @ApiOperation({ summary: 'Approve an installation that the code host told of; an active connection stays as it is' })
  @IdParam('id', 'connection')
  @Answer(Connection, 'The connection.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 502, 503)
  approveConnection(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<Connection> {
    return this.connections.approve(viewerOf(principal), pathId(id, 'connection'));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @Permission('connections.write')
  @ApiOperation({ summary: 'Revoke a connection; runs that use it are denied from their next call on' })
  @IdParam('id', 'connection')
  @Answer(Connection, 'The connection.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  revokeConnection(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<Connection> {
    return this.connections.revoke(viewerOf(principal), pathId(id, 'connection'));
  }

  @Get(':id/tools')
  @Permission('connections.read')
  @ApiOperation({ summary: "Read the latest snapshot of a connection's tools" })
  @IdParam('id', 'connection')
  @Answer(Snapshot, 'The snapshot.')
  @Failures(400, 401, 404, 503)
  readConnectionTools(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<Snapshot> {
    return this.connections.tools(viewerOf(principal), pathId(id, 'connection'));
  }

  @Post(':id/tools/refresh')
  @HttpCode(200)
  @Permission('connections.write')
  @ApiOperation({ summary: "Take a new snapshot of a connection's tools and say what changed" })
  @IdParam('id', 'connection')
  @Answer(RefreshedSnapshot, 'The new snapshot.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 502, 503)
  refreshConnectionTools(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
  ): Promise<RefreshedSnapshot> {
    return this.connections.refresh(viewerOf(principal), pathId(id, 'connection'));
  }
}
