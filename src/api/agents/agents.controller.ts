import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { MAX_LIMIT, PageQuery, rowsAsked } from '../http/limit.js';
import { validated, type QueryValue } from '../http/validated.js';
import { Answer, Failures } from '../openapi/answers.js';
import { LimitQuery } from '../openapi/parameters.js';
import { AddedRevision, AgentList, AgentWithRevisions, CreatedAgent } from './agent-answers.dto.js';
import { AddRevision, CreateAgent } from './agents.dto.js';
import { AgentsService } from './agents.service.js';

@ApiTags('Agents')
@Controller('v1/agents')
export class AgentsController {
  constructor(private readonly agents: AgentsService) {}

  @Get()
  @Permission('agents.read')
  @ApiOperation({ summary: 'List agents' })
  @LimitQuery('all, up to 1000')
  @Answer(AgentList, 'Agents of the organization.')
  @Failures(400, 401, 503)
  async listAgents(@CurrentPrincipal() principal: Principal, @Query('limit') sent?: QueryValue): Promise<AgentList> {
    const { limit } = validated(PageQuery, { limit: sent }, 'limit');
    return { agents: await this.agents.list(principal.organizationId, rowsAsked(limit, MAX_LIMIT)) };
  }

  @Post()
  @HttpCode(200)
  @Permission('agents.write')
  @ApiOperation({ summary: 'Register an agent with its first revision' })
  @ApiBody({ type: CreateAgent })
  @Answer(CreatedAgent, 'The agent and its first revision.')
  @Failures(400, 401, 403, 409, 413, 415, 503)
  createAgent(@CurrentPrincipal() principal: Principal, @Body() body: CreateAgent): Promise<CreatedAgent> {
    return this.agents.create(principal, body);
  }

  @Get(':id')
  @Permission('agents.read')
  @ApiOperation({ summary: 'Read an agent and all its revisions' })
  @ApiParam({ name: 'id', description: 'Id or name of the agent.', schema: { type: 'string', minLength: 1 } })
  @Answer(AgentWithRevisions, 'The agent, its revisions newest first.')
  @Failures(400, 401, 404, 503)
  readAgent(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<AgentWithRevisions> {
    return this.agents.read(principal.organizationId, id);
  }

  @Post(':id/revisions')
  @HttpCode(200)
  @Permission('agents.write')
  @ApiOperation({ summary: 'Append a revision; what is left out is inherited from the latest one' })
  @ApiParam({ name: 'id', description: 'Id or name of the agent.', schema: { type: 'string', minLength: 1 } })
  @ApiBody({ type: AddRevision })
  @Answer(AddedRevision, 'The new revision.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  async addRevision(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: AddRevision,
  ): Promise<AddedRevision> {
    return { revision: await this.agents.addRevision(principal, id, body) };
  }
}
