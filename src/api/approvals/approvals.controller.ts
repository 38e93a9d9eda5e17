import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { untilHungUp } from '../http/until-hung-up.js';
import { MAX_LIMIT, rowsAsked } from '../http/limit.js';
import { validated, type Unvalidated } from '../http/validated.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam, LimitQuery, WaitQueries } from '../openapi/parameters.js';
import { waitAsked } from './approval-cursor.js';
import type { WaitingCaller } from './approval-watch.js';
import { ApprovalList, ApprovalView, DecidedApproval, DECISION_SCHEMA } from './approvals.dto.js';
import { ApprovalsService, type ListRequest } from './approvals.service.js';
import { DecideApproval } from './decision.dto.js';
import { ListApprovals } from './list-approvals.dto.js';

@ApiTags('Approvals')
@Controller('v1')
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Get('approvals')
  @Permission('approvals.read')
  @ApiOperation({ summary: 'List pending approvals, oldest first' })
  @LimitQuery('all, up to 1000')
  @WaitQueries()
  @Answer(ApprovalList, 'Pending approvals that the caller may see.')
  @Failures(400, 401, 503)
  listApprovals(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListApprovals,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApprovalList> {
    return this.approvals.listPending(principal, readList(query, reply));
  }

  @Get('sessions/:id/approvals')
  @Permission('approvals.read')
  @ApiOperation({ summary: 'List the approvals of a run, newest first' })
  @IdParam('id', 'run')
  @LimitQuery('all, up to 1000')
  @WaitQueries()
  @Answer(ApprovalList, 'Decided and pending approvals.')
  @Failures(400, 401, 404, 503)
  listSessionApprovals(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query() query: ListApprovals,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApprovalList> {
    return this.approvals.listOfSession(principal, pathId(id, 'run'), readList(query, reply));
  }

  @Get('approvals/:id')
  @Permission('approvals.read')
  @ApiOperation({ summary: 'Read an approval, pending or settled' })
  @IdParam('id', 'approval')
  @Answer(ApprovalView, 'The approval.')
  @Failures(400, 401, 404, 503)
  readApproval(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ApprovalView> {
    return this.approvals.read(principal, pathId(id, 'approval'));
  }

  @Post('approvals/:id/decision')
  @HttpCode(200)
  @Permission('approvals.decide')
  @ApiOperation({ summary: 'Decide an approval; a settled one is answered as it is' })
  @IdParam('id', 'approval')
  @ApiBody({ schema: DECISION_SCHEMA })
  @Answer(DecidedApproval, 'The approval as it is settled.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  decideApproval(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: DecideApproval,
  ): Promise<DecidedApproval> {
    const approvalId = pathId(id, 'approval');
    return this.approvals.decide(principal, approvalId, validated(DecideApproval, body, 'decision').decision);
  }
}

function readList(sent: Unvalidated<ListApprovals>, reply: FastifyReply): ListRequest {
  const query = validated(ListApprovals, sent, 'limit', 'cursor', 'wait');
  return { limit: rowsAsked(query.limit, MAX_LIMIT), wait: waitAsked(query), caller: waitingCaller(reply) };
}

function waitingCaller(reply: FastifyReply): WaitingCaller {
  const answered = new Promise<void>((resolve) => {
    reply.raw.once('close', () => resolve());
  });
  return { hungUp: untilHungUp(reply), answered };
}
