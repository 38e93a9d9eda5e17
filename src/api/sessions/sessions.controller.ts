import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { RUN_STATUSES } from '../../domain/run/status.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdempotencyKeyHeader, IdParam, LimitQuery } from '../openapi/parameters.js';
import { CreateSession } from './create-session.dto.js';
import { CreateSessionService } from './create-session.service.js';
import { parseIdempotencyKey } from '../../core/runs/idempotency-keys.js';
import { LABEL_PAIR_PATTERN, MAX_LABELS } from '../../domain/run/labels.js';
import { ListSessions, toSessionFilter } from './list-sessions.dto.js';
import { CancelAnswer, SessionEnvelope, SessionList, SessionRead } from './sessions.dto.js';
import { SessionsService } from './sessions.service.js';
import { UsageTotals } from './usage.dto.js';

@ApiTags('Runs')
@Controller('v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly creation: CreateSessionService,
  ) {}

  @Get()
  @Permission('sessions.read')
  @ApiOperation({ summary: 'List runs, newest first' })
  @LimitQuery('50')
  @ApiQuery({
    name: 'status',
    required: false,
    schema: { type: 'array', items: { type: 'string', enum: [...RUN_STATUSES] } },
    description: 'Once or more.',
  })
  @ApiQuery({
    name: 'agent',
    required: false,
    schema: { type: 'string', minLength: 1 },
    description: 'Id or name of the agent.',
  })
  @ApiQuery({
    name: 'label',
    required: false,
    schema: { type: 'array', items: { type: 'string', pattern: LABEL_PAIR_PATTERN }, maxItems: MAX_LABELS },
    description: '`name=value`, once or more; a run must carry them all.',
  })
  @ApiQuery({
    name: 'before',
    required: false,
    schema: { type: 'string', format: 'uuid' },
    description: 'Id of a run: only runs created before it.',
  })
  @ApiQuery({
    name: 'after',
    required: false,
    schema: { type: 'string', format: 'uuid' },
    description: 'Id of a run: only runs created after it.',
  })
  @Answer(SessionList, 'Runs that the caller may see.')
  @Failures(400, 401, 503)
  async listSessions(@CurrentPrincipal() principal: Principal, @Query() query: ListSessions): Promise<SessionList> {
    return { sessions: await this.sessions.list(principal, toSessionFilter(query)) };
  }

  @Post()
  @HttpCode(200)
  @Permission('sessions.create')
  @ApiOperation({ summary: 'Create a run' })
  @IdempotencyKeyHeader('the run that it made before')
  @ApiBody({ type: CreateSession })
  @Answer(SessionEnvelope, 'The run, before anything was provisioned for it.')
  @Failures(400, 401, 403, 409, 413, 415, 429, 503)
  async createSession(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateSession,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<SessionEnvelope> {
    const idempotencyKey = parseIdempotencyKey(key);
    return { session: await this.creation.create({ principal, body, sent: request.body, idempotencyKey }) };
  }

  @Get(':id')
  @Permission('sessions.read')
  @ApiOperation({ summary: 'Read a run with its usage' })
  @IdParam('id', 'run')
  @Answer(SessionRead, 'The run.')
  @Failures(400, 401, 404, 503)
  readSession(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<SessionRead> {
    return this.sessions.read(principal, pathId(id, 'run'));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Permission('sessions.cancel')
  @ApiOperation({ summary: 'Ask a run to stop' })
  @IdParam('id', 'run')
  @Answer(CancelAnswer, 'The wish is recorded, or the run had already ended.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  cancelSession(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<CancelAnswer> {
    return this.sessions.cancel(principal, pathId(id, 'run'));
  }

  @Get(':id/cost')
  @Permission('sessions.read')
  @ApiOperation({ summary: 'What a run used and cost so far' })
  @IdParam('id', 'run')
  @Answer(UsageTotals, 'Totals that the model providers reported.')
  @Failures(400, 401, 404, 503)
  readCost(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<UsageTotals> {
    return this.sessions.cost(principal, pathId(id, 'run'));
  }
}
