import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, viewerOf, type Principal } from '../auth/principal.js';
import { Answer, Failures } from '../openapi/answers.js';
import { CatalogEntry, CatalogList, Connector, CreateConnector } from './catalog.dto.js';
import { CatalogService } from './catalog.service.js';
import { ConnectConnectorService } from './connect-connector.service.js';
import { ConnectConnector, ConnectedConnector } from './connect.dto.js';

@ApiTags('Catalog')
@Controller('v1/catalog')
export class CatalogController {
  constructor(
    private readonly catalog: CatalogService,
    private readonly connecting: ConnectConnectorService,
  ) {}

  @Get()
  @Permission('catalog.read')
  @ApiOperation({ summary: 'List known connectors' })
  @Answer(CatalogList, 'Verified, community and then own entries, each by name.')
  @Failures(400, 401, 503)
  listConnectors(@CurrentPrincipal() principal: Principal): Promise<CatalogList> {
    return this.catalog.list(principal);
  }

  @Post()
  @HttpCode(200)
  @Permission('catalog.write')
  @ApiOperation({ summary: 'Add a connector of the organization; it shadows a global one of the same slug' })
  @ApiBody({ type: CreateConnector })
  @Answer(Connector, 'The stored entry, of tier `custom` whatever the request says.')
  @Failures(400, 401, 403, 409, 413, 415, 503)
  addConnector(@CurrentPrincipal() principal: Principal, @Body() body: CreateConnector): Promise<Connector> {
    return this.catalog.add(principal, body);
  }

  @Get(':slug')
  @Permission('catalog.read')
  @ApiOperation({ summary: 'Read a connector' })
  @ApiParam({ name: 'slug', schema: { type: 'string', minLength: 1 } })
  @Answer(CatalogEntry, 'The entry that the organization sees: its own before a global one.')
  @Failures(400, 401, 404, 503)
  readConnector(@CurrentPrincipal() principal: Principal, @Param('slug') slug: string): Promise<CatalogEntry> {
    return this.catalog.read(principal, slug);
  }

  @Post(':slug/connect')
  @HttpCode(200)
  @Permission('connections.write')
  @ApiOperation({
    summary: 'Connect a connector: by key, by OAuth, without a credential, or as a bundle of the sandbox',
  })
  @ApiParam({ name: 'slug', schema: { type: 'string', minLength: 1 } })
  @ApiBody({ type: ConnectConnector, required: false })
  @Answer(ConnectedConnector, 'The connection with its tool snapshot or its `go_url`, or the bundle.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  connectConnector(
    @CurrentPrincipal() principal: Principal,
    @Param('slug') slug: string,
    @Body() body: ConnectConnector,
  ): Promise<ConnectedConnector> {
    return this.connecting.connect(viewerOf(principal), slug, body);
  }
}
