import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { pathId } from '../../domain/resource-id.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { PageQuery, rowsAsked } from '../http/limit.js';
import { validated, type QueryValue } from '../http/validated.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam, LimitQuery } from '../openapi/parameters.js';
import { ChangeTriggerService } from './change-trigger.service.js';
import { CreateTriggerService } from './create-trigger.service.js';
import {
  ChangedTrigger,
  CreatedTrigger,
  RotatedToken,
  Trigger,
  TriggerList,
  TriggerWithHistory,
} from './trigger-answers.dto.js';
import { ChangeTrigger, CreateTrigger } from './triggers.dto.js';
import { TriggersService } from './triggers.service.js';

const DEFAULT_PAGE = 50;

@ApiTags('Triggers')
@Controller('v1/triggers')
export class TriggersController {
  constructor(
    private readonly triggers: TriggersService,
    private readonly creation: CreateTriggerService,
    private readonly changing: ChangeTriggerService,
  ) {}

  @Get()
  @Permission('triggers.read')
  @ApiOperation({ summary: 'List triggers, newest first' })
  @LimitQuery('50')
  @Answer(TriggerList, 'Triggers that the caller may see: all for the operator, owners and admins, none for others.')
  @Failures(400, 401, 503)
  listTriggers(@CurrentPrincipal() principal: Principal, @Query('limit') sent?: QueryValue): Promise<TriggerList> {
    const { limit } = validated(PageQuery, { limit: sent }, 'limit');
    return this.triggers.list(principal, rowsAsked(limit, DEFAULT_PAGE));
  }

  @Post()
  @HttpCode(200)
  @Permission('triggers.write')
  @ApiOperation({ summary: 'Create a trigger; its token is shown once' })
  @ApiBody({ type: CreateTrigger })
  @Answer(CreatedTrigger, 'The trigger, its token, and the secret of its callback.')
  @Failures(400, 401, 403, 409, 413, 415, 503)
  createTrigger(@CurrentPrincipal() principal: Principal, @Body() body: CreateTrigger): Promise<CreatedTrigger> {
    return this.creation.create(principal, body);
  }

  @Get(':id')
  @Permission('triggers.read')
  @ApiOperation({ summary: 'Read a trigger with its newest runs, deliveries and invocations' })
  @IdParam('id', 'trigger')
  @Answer(TriggerWithHistory, 'The trigger.')
  @Failures(400, 401, 404, 503)
  readTrigger(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<TriggerWithHistory> {
    return this.triggers.read(principal, pathId(id, 'trigger'));
  }

  @Patch(':id')
  @Permission('triggers.write')
  @ApiOperation({ summary: 'Change a trigger; what is left out stays' })
  @IdParam('id', 'trigger')
  @ApiBody({ type: ChangeTrigger })
  @Answer(ChangedTrigger, 'The trigger, and the secret of a new callback.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  changeTrigger(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: ChangeTrigger,
  ): Promise<ChangedTrigger> {
    return this.changing.change(principal, pathId(id, 'trigger'), body);
  }

  @Post(':id/enable')
  @HttpCode(200)
  @Permission('triggers.write')
  @ApiOperation({ summary: 'Let a trigger start runs again' })
  @IdParam('id', 'trigger')
  @Answer(Trigger, 'The trigger.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  enableTrigger(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<Trigger> {
    return this.triggers.switch(principal.organizationId, pathId(id, 'trigger'), true);
  }

  @Post(':id/disable')
  @HttpCode(200)
  @Permission('triggers.write')
  @ApiOperation({ summary: 'Keep a trigger from starting runs; those under way go on' })
  @IdParam('id', 'trigger')
  @Answer(Trigger, 'The trigger.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  disableTrigger(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<Trigger> {
    return this.triggers.switch(principal.organizationId, pathId(id, 'trigger'), false);
  }

  @Post(':id/rotate_token')
  @HttpCode(200)
  @Permission('triggers.write')
  @ApiOperation({ summary: 'Replace the token of a trigger; the old one is no longer good' })
  @IdParam('id', 'trigger')
  @Answer(RotatedToken, 'The new token.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  rotateTriggerToken(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<RotatedToken> {
    return this.triggers.rotateToken(principal.organizationId, pathId(id, 'trigger'));
  }
}
