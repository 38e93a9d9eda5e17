import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, viewerOf, type Principal } from '../auth/principal.js';
import { Answer, Failures } from '../openapi/answers.js';
import { AddedServer, AddServer, ProbedServer, ProbeServer } from './mcp.dto.js';
import { McpServersService } from './servers.service.js';

@ApiTags('Catalog')
@Controller('v1/mcp')
export class McpController {
  constructor(private readonly servers: McpServersService) {}

  @Post('probe')
  @HttpCode(200)
  @Permission('catalog.write')
  @ApiOperation({
    summary: 'Ask a remote MCP server how it wants to be connected; nothing is stored, no secret is sent',
  })
  @ApiBody({ type: ProbeServer })
  @Answer(ProbedServer, 'What was found out, also of a server that cannot be reached.')
  @Failures(400, 401, 403, 413, 415, 503)
  probeServer(@Body() body: ProbeServer): Promise<ProbedServer> {
    return this.servers.probe(body.url);
  }

  @Post('servers')
  @HttpCode(200)
  @Permission('catalog.write')
  @ApiOperation({ summary: 'Add a remote MCP server to the catalog and connect it' })
  @ApiBody({ type: AddServer })
  @Answer(AddedServer, 'The entry, with the connection and its tool snapshot or its `go_url`.')
  @Failures(400, 401, 403, 409, 413, 415, 503)
  addServer(@CurrentPrincipal() principal: Principal, @Body() body: AddServer): Promise<AddedServer> {
    return this.servers.add(viewerOf(principal), body);
  }
}
