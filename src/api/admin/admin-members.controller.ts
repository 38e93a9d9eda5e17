import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../core/identity/audit-log.js';
import type { Organization } from '../../core/organizations/organizations.js';
import { RevokedCredential } from '../account/tokens.dto.js';
import { CurrentActor } from '../auth/current-actor.js';
import { OperatorPlane } from '../auth/permission.decorator.js';
import { Audited } from '../http/audited.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam, LimitQuery } from '../openapi/parameters.js';
import { CursorQuery, MemberQuery } from '../org/cursors.js';
import { MemberCredentialsService } from '../org/member-credentials.service.js';
import { ListMembers, MemberList, MembershipEnvelope, SetRoles } from '../org/members.dto.js';
import { MembersService, type ChangeOfMember } from '../org/members.service.js';
import { ListCredentials, RevokedWebSessions, RevokeWebSessions, WebSessionList } from '../org/web-sessions.dto.js';
import { SlugParam } from './admin-orgs.dto.js';
import { OrgBySlug } from './org-by-slug.pipe.js';

const WHAT = 'membership';

@ApiTags('Operator: members')
@OperatorPlane()
@Controller('v1/admin/orgs/:slug')
export class AdminMembersController {
  constructor(
    private readonly members: MembersService,
    private readonly credentials: MemberCredentialsService,
  ) {}

  @Get('members')
  @SlugParam()
  @LimitQuery('1000')
  @CursorQuery('after', 'a membership')
  @ApiQuery({ name: 'email', required: false, schema: { type: 'string' }, description: 'Only those of this address.' })
  @ApiOperation({ summary: 'List the members of an organization' })
  @Answer(MemberList, 'In the order in which they came, deactivated ones included.')
  @Failures(400, 401, 404, 503)
  listMembers(@Param('slug', OrgBySlug) { id }: Organization, @Query() query: ListMembers): Promise<MemberList> {
    return this.members.list(id, query);
  }

  @Post('members/:id/roles')
  @HttpCode(200)
  @SlugParam()
  @IdParam('id', WHAT)
  @Audited('member.roles')
  @ApiOperation({ summary: 'Set the roles of a member' })
  @ApiBody({ type: SetRoles })
  @Answer(MembershipEnvelope, 'The membership as it is now.')
  @Failures(400, 401, 404, 413, 415, 503)
  setMemberRoles(
    @Param('slug', OrgBySlug) org: Organization,
    @Param('id') member: string,
    @Body() body: SetRoles,
    @CurrentActor() actor: AuditActor,
  ): Promise<MembershipEnvelope> {
    return this.members.setRoles(byOperator(org, member, actor), body);
  }

  @Post('members/:id/deactivate')
  @HttpCode(200)
  @SlugParam()
  @IdParam('id', WHAT)
  @Audited('member.deactivate')
  @ApiOperation({ summary: 'Deactivate a member, and end their browser sessions and tokens; may be repeated' })
  @Answer(MembershipEnvelope, 'The membership as it is now.')
  @Failures(400, 401, 404, 413, 415, 503)
  deactivateMember(
    @Param('slug', OrgBySlug) org: Organization,
    @Param('id') member: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<MembershipEnvelope> {
    return this.members.deactivate(byOperator(org, member, actor));
  }

  @Post('members/:id/reactivate')
  @HttpCode(200)
  @SlugParam()
  @IdParam('id', WHAT)
  @Audited('member.reactivate')
  @ApiOperation({ summary: 'Let a deactivated member in again; what was revoked stays revoked' })
  @Answer(MembershipEnvelope, 'The membership as it is now.')
  @Failures(400, 401, 404, 413, 415, 503)
  reactivateMember(
    @Param('slug', OrgBySlug) org: Organization,
    @Param('id') member: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<MembershipEnvelope> {
    return this.members.reactivate(byOperator(org, member, actor));
  }

  @Get('web-sessions')
  @SlugParam()
  @LimitQuery('100')
  @CursorQuery('before', 'a browser session')
  @MemberQuery()
  @ApiOperation({ summary: 'List the live browser sessions of an organization or of one member' })
  @Answer(WebSessionList, 'Newest first.')
  @Failures(400, 401, 404, 503)
  listWebSessions(
    @Param('slug', OrgBySlug) { id }: Organization,
    @Query() query: ListCredentials,
  ): Promise<WebSessionList> {
    return this.credentials.listSessions(id, query);
  }

  @Post('web-sessions/revoke')
  @HttpCode(200)
  @SlugParam()
  @Audited('session.revoke')
  @ApiOperation({ summary: 'End all browser sessions of an organization or of one member' })
  @ApiBody({ type: RevokeWebSessions, required: false })
  @Answer(RevokedWebSessions, 'How many were alive.')
  @Failures(400, 401, 404, 413, 415, 503)
  revokeWebSessions(
    @Param('slug', OrgBySlug) { id }: Organization,
    @Body() body: RevokeWebSessions,
    @CurrentActor() actor: AuditActor,
  ): Promise<RevokedWebSessions> {
    return this.credentials.revokeSessions(id, body, actor);
  }

  @Delete('web-sessions/:id')
  @SlugParam()
  @IdParam('id', 'browser session')
  @Audited('session.revoke')
  @ApiOperation({ summary: 'End a browser session' })
  @Answer(RevokedCredential, 'It is over.')
  @Failures(400, 401, 404, 503)
  revokeWebSession(
    @Param('slug', OrgBySlug) { id }: Organization,
    @Param('id') session: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<RevokedCredential> {
    return this.credentials.revokeSession(id, session, actor);
  }
}

function byOperator({ id }: Organization, member: string, actor: AuditActor): ChangeOfMember {
  return { organizationId: id, member, authority: { of: 'deployment' }, actor };
}
