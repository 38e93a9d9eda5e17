import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { MAX_LIMIT, parseLimit } from '../http/limit.js';
import { pathId } from '../http/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam, LimitQuery } from '../openapi/parameters.js';
import { ApprovalList, ApprovalView, DECISION_SCHEMA } from './approvals.dto.js';
import { ApprovalsService } from './approvals.service.js';
import { parseDecision } from './decision.js';

@ApiTags('Approvals')
@ApiBearerAuth('bearer')
@Controller('v1')
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Get('approvals')
  @Permission('approvals.read')
  @ApiOperation({ summary: 'List pending approvals, oldest first' })
  @LimitQuery('all, up to 1000')
  @Answer(ApprovalList, 'Pending approvals that the caller may see.')
  @Failures(400, 401, 503)
  async listApprovals(
    @CurrentPrincipal() principal: Principal,
    @Query('limit') limit?: unknown,
  ): Promise<ApprovalList> {
    return { approvals: await this.approvals.listPending(principal, parseLimit(limit, MAX_LIMIT)) };
  }

  @Get('sessions/:id/approvals')
  @Permission('approvals.read')
  @ApiOperation({ summary: 'List the approvals of a run, newest first' })
  @IdParam('id', 'run')
  @Answer(ApprovalList, 'Decided and pending approvals.')
  @Failures(400, 401, 404, 503)
  async listSessionApprovals(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ApprovalList> {
    return { approvals: await this.approvals.listOfSession(principal, pathId(id), MAX_LIMIT) };
  }

  @Post('approvals/:id/decision')
  @HttpCode(200)
  @Permission('approvals.decide')
  @ApiOperation({ summary: 'Decide an approval; a settled one is answered as it is' })
  @IdParam('id', 'approval')
  @ApiBody({ schema: DECISION_SCHEMA })
  @Answer(ApprovalView, 'The approval as it is settled.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  decideApproval(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ApprovalView> {
    return this.approvals.decide(principal, pathId(id), parseDecision(body));
  }
}
