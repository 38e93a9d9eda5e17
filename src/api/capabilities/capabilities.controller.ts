import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { MAX_LIMIT, PageQuery, rowsAsked } from '../http/limit.js';
import { validated, type QueryValue } from '../http/validated.js';
import { Answer, Failures } from '../openapi/answers.js';
import { LimitQuery } from '../openapi/parameters.js';
import { CapabilityAnswer, CapabilityList, CreateCapability } from './capabilities.dto.js';
import { CapabilitiesService } from './capabilities.service.js';

@ApiTags('Capabilities')
@Controller('v1/capabilities')
export class CapabilitiesController {
  constructor(private readonly capabilities: CapabilitiesService) {}

  @Get()
  @Permission('capabilities.read')
  @ApiOperation({ summary: 'List capability bundles with all their versions' })
  @LimitQuery('all, up to 1000')
  @Answer(CapabilityList, 'Bundles of the organization.')
  @Failures(400, 401, 503)
  listCapabilities(
    @CurrentPrincipal() principal: Principal,
    @Query('limit') sent?: QueryValue,
  ): Promise<CapabilityList> {
    const { limit } = validated(PageQuery, { limit: sent }, 'limit');
    return this.capabilities.list(principal.organizationId, rowsAsked(limit, MAX_LIMIT));
  }

  @Post()
  @HttpCode(200)
  @Permission('capabilities.write')
  @ApiOperation({ summary: 'Publish a bundle of sandbox MCP servers; a known name gets its next version' })
  @ApiBody({ type: CreateCapability })
  @Answer(CapabilityAnswer, 'The new version.')
  @Failures(400, 401, 403, 413, 415, 503)
  createCapability(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateCapability,
  ): Promise<CapabilityAnswer> {
    return this.capabilities.create(principal.organizationId, body);
  }

  @Get(':name')
  @Permission('capabilities.read')
  @ApiOperation({ summary: 'Read a bundle' })
  @ApiParam({
    name: 'name',
    description: 'Its name (the newest version), `name@N`, or the id of a version.',
    schema: { type: 'string', minLength: 1 },
  })
  @Answer(CapabilityAnswer, 'That version.')
  @Failures(400, 401, 404, 503)
  readCapability(@CurrentPrincipal() principal: Principal, @Param('name') name: string): Promise<CapabilityAnswer> {
    return this.capabilities.read(principal.organizationId, name);
  }

  @Get(':name/versions/:version')
  @Permission('capabilities.read')
  @ApiOperation({ summary: 'Read a bundle at one version' })
  @ApiParam({ name: 'name', schema: { type: 'string', minLength: 1 } })
  @ApiParam({ name: 'version', schema: { type: 'integer', format: 'int32', minimum: 1 } })
  @Answer(CapabilityAnswer, 'That version.')
  @Failures(400, 401, 404, 503)
  readCapabilityVersion(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Param('version') version: string,
  ): Promise<CapabilityAnswer> {
    return this.capabilities.readVersion(principal.organizationId, name, version);
  }
}
