import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { RevokedCredential } from '../account/tokens.dto.js';
import { CurrentActor } from '../auth/current-actor.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, userIdOf, type Principal } from '../auth/principal.js';
import { Audited } from '../http/audited.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam, LimitQuery } from '../openapi/parameters.js';
import { CursorQuery, MemberQuery } from './cursors.js';
import { MemberCredentialsService } from './member-credentials.service.js';
import { MemberTokenList } from './member-tokens.dto.js';
import { ListMembers, MemberList, MembershipEnvelope, SetRoles } from './members.dto.js';
import { MembersService, type ChangeOfMember } from './members.service.js';
import { ListCredentials, RevokedWebSessions, RevokeWebSessions, WebSessionList } from './web-sessions.dto.js';

const WHAT = 'membership';

@ApiTags('Organization')
@Permission('org.manage')
@Controller('v1/org')
export class OrgMembersController {
  constructor(
    private readonly members: MembersService,
    private readonly credentials: MemberCredentialsService,
  ) {}

  @Get('members')
  @LimitQuery('1000')
  @CursorQuery('after', 'a membership')
  @ApiQuery({ name: 'email', required: false, schema: { type: 'string' }, description: 'Only those of this address.' })
  @ApiOperation({ summary: 'List the members of the own organization' })
  @Answer(MemberList, 'In the order in which they came, deactivated ones included.')
  @Failures(400, 401, 403, 503)
  listOwnMembers(@CurrentPrincipal() { organizationId }: Principal, @Query() query: ListMembers): Promise<MemberList> {
    return this.members.list(organizationId, query);
  }

  @Post('members/:id/roles')
  @HttpCode(200)
  @IdParam('id', WHAT)
  @Audited('member.roles')
  @ApiOperation({ summary: 'Set the roles of a member; of owners, only an owner' })
  @ApiBody({ type: SetRoles })
  @Answer(MembershipEnvelope, 'The membership as it is now.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  setOwnMemberRoles(
    @CurrentPrincipal() principal: Principal,
    @Param('id') member: string,
    @Body() body: SetRoles,
    @CurrentActor() actor: AuditActor,
  ): Promise<MembershipEnvelope> {
    return this.members.setRoles(byCaller(principal, member, actor), body);
  }

  @Post('members/:id/deactivate')
  @HttpCode(200)
  @IdParam('id', WHAT)
  @Audited('member.deactivate')
  @ApiOperation({ summary: 'Deactivate a member, and end their browser sessions and tokens; of owners, only an owner' })
  @Answer(MembershipEnvelope, 'The membership as it is now.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  deactivateOwnMember(
    @CurrentPrincipal() principal: Principal,
    @Param('id') member: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<MembershipEnvelope> {
    return this.members.deactivate(byCaller(principal, member, actor));
  }

  @Post('members/:id/reactivate')
  @HttpCode(200)
  @IdParam('id', WHAT)
  @Audited('member.reactivate')
  @ApiOperation({ summary: 'Let a deactivated member in again; what was revoked stays revoked' })
  @Answer(MembershipEnvelope, 'The membership as it is now.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  reactivateOwnMember(
    @CurrentPrincipal() principal: Principal,
    @Param('id') member: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<MembershipEnvelope> {
    return this.members.reactivate(byCaller(principal, member, actor));
  }

  @Get('web-sessions')
  @LimitQuery('100')
  @CursorQuery('before', 'a browser session')
  @MemberQuery()
  @ApiOperation({ summary: 'List the live browser sessions of the own organization or of one member' })
  @Answer(WebSessionList, 'Newest first.')
  @Failures(400, 401, 403, 503)
  listOwnWebSessions(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query() query: ListCredentials,
  ): Promise<WebSessionList> {
    return this.credentials.listSessions(organizationId, query);
  }

  @Post('web-sessions/revoke')
  @HttpCode(200)
  @Audited('session.revoke')
  @ApiOperation({ summary: 'End all browser sessions of the own organization or of one member' })
  @ApiBody({ type: RevokeWebSessions, required: false })
  @Answer(RevokedWebSessions, 'How many were alive.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  revokeOwnWebSessions(
    @CurrentPrincipal() { organizationId }: Principal,
    @Body() body: RevokeWebSessions,
    @CurrentActor() actor: AuditActor,
  ): Promise<RevokedWebSessions> {
    return this.credentials.revokeSessions(organizationId, body, actor);
  }

  @Delete('web-sessions/:id')
  @IdParam('id', 'browser session')
  @Audited('session.revoke')
  @ApiOperation({ summary: 'End a browser session' })
  @Answer(RevokedCredential, 'It is over.')
  @Failures(400, 401, 403, 404, 503)
  revokeOwnWebSession(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('id') session: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<RevokedCredential> {
    return this.credentials.revokeSession(organizationId, session, actor);
  }

  @Get('tokens')
  @LimitQuery('100')
  @CursorQuery('before', 'a token')
  @MemberQuery()
  @ApiOperation({ summary: 'List the personal access tokens of the own organization or of one member' })
  @Answer(MemberTokenList, 'Newest first, revoked ones included; never a token itself.')
  @Failures(400, 401, 403, 503)
  listMemberTokens(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query() query: ListCredentials,
  ): Promise<MemberTokenList> {
    return this.credentials.listTokens(organizationId, query);
  }

  @Delete('tokens/:id')
  @IdParam('id', 'token')
  @Audited('token.revoke')
  @ApiOperation({ summary: 'Revoke a personal access token of a member' })
  @Answer(RevokedCredential, 'It is over.')
  @Failures(400, 401, 403, 404, 503)
  revokeMemberToken(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('id') token: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<RevokedCredential> {
    return this.credentials.revokeToken(organizationId, token, actor);
  }
}

function byCaller(principal: Principal, member: string, actor: AuditActor): ChangeOfMember {
  const { organizationId } = principal;
  return { organizationId, member, authority: { of: 'organization', userId: userIdOf(principal) }, actor };
}
