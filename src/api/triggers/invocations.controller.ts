import { Body, Controller, Get, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { pathId } from '../../domain/resource-id.js';
import type { TriggerTokenInfo } from '../../core/triggers/trigger-tokens.js';
import { Permission, TriggerToken } from '../auth/permission.decorator.js';
import { CurrentPrincipal, CurrentTriggerToken, type Principal } from '../auth/principal.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdempotencyKeyHeader, IdParam } from '../openapi/parameters.js';
import { InvokedRun, InvokeTrigger, PolledResult } from './invocations.dto.js';
import { InvocationsService } from './invocations.service.js';

@ApiTags('Triggers')
@Controller('v1/triggers')
export class InvocationsController {
  constructor(private readonly invocations: InvocationsService) {}

  @Post(':id/invoke')
  @HttpCode(200)
  @TriggerToken()
  @ApiOperation({ summary: "Start a run, with the trigger's token" })
  @IdParam('id', 'trigger')
  @IdempotencyKeyHeader('the run that it started before')
  @ApiBody({ type: InvokeTrigger, required: false })
  @Answer(InvokedRun, 'The run.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 429, 503)
  invokeTrigger(
    @CurrentTriggerToken() token: TriggerTokenInfo,
    @Body() body: InvokeTrigger,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
  ): Promise<InvokedRun> {
    return this.invocations.invoke({ token, body, idempotencyKey });
  }

  @Get(':id/runs/:sid')
  @TriggerToken()
  @ApiOperation({ summary: "Read a run of the trigger, with the trigger's token" })
  @IdParam('id', 'trigger')
  @IdParam('sid', 'run')
  @Answer(PolledResult, 'The run, whoever started it, with its result as far as it is there.')
  @Failures(400, 401, 404, 503)
  pollRun(@CurrentTriggerToken() token: TriggerTokenInfo, @Param('sid') sid: string): Promise<PolledResult> {
    return this.invocations.poll(token, pathId(sid, 'run'));
  }

  @Post(':id/run-now')
  @HttpCode(200)
  @Permission('triggers.write')
  @ApiOperation({ summary: 'Start a run of a trigger by hand' })
  @IdParam('id', 'trigger')
  @Answer(InvokedRun, 'The run.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 429, 503)
  runTriggerNow(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<InvokedRun> {
    return this.invocations.runNow(principal, pathId(id, 'trigger'));
  }
}
