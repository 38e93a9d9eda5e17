import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../core/identity/audit-log.js';
import type { Organization } from '../../core/organizations/organizations.js';
import { CurrentActor } from '../auth/current-actor.js';
import { OperatorPlane } from '../auth/permission.decorator.js';
import { Audited } from '../http/audited.js';
import { Answer, Failures } from '../openapi/answers.js';
import { LimitQuery } from '../openapi/parameters.js';
import { AuthAuditList, AuthAuditQueries } from '../org/auth-audit.dto.js';
import { CursorQuery } from '../org/cursors.js';
import { OrgEnvelope, toOrg } from '../org/org.dto.js';
import { ChangeOrg, CreateOrg, ListDeploymentAudit, ListOrgs, OrgList, SlugParam } from './admin-orgs.dto.js';
import { AdminOrgsService } from './admin-orgs.service.js';
import { OrgBySlug } from './org-by-slug.pipe.js';

@ApiTags('Operator: organizations')
@OperatorPlane()
@Controller('v1/admin')
export class AdminOrgsController {
  constructor(private readonly orgs: AdminOrgsService) {}

  @Get('orgs')
  @ApiOperation({ summary: 'List the organizations of the deployment' })
  @LimitQuery('1000')
  @CursorQuery('after', 'an organization')
  @Answer(OrgList, 'Oldest first.')
  @Failures(400, 401, 503)
  listOrgs(@Query() query: ListOrgs): Promise<OrgList> {
    return this.orgs.list(query);
  }

  @Post('orgs')
  @HttpCode(200)
  @Audited('org.create')
  @ApiOperation({ summary: 'Make an organization, with the policies and the agent that every one begins with' })
  @ApiBody({ type: CreateOrg })
  @Answer(OrgEnvelope, 'The new organization.')
  @Failures(400, 401, 409, 413, 415, 503)
  createOrg(@Body() body: CreateOrg, @CurrentActor() actor: AuditActor): Promise<OrgEnvelope> {
    return this.orgs.create(body, actor);
  }

  @Get('orgs/:slug')
  @SlugParam()
  @ApiOperation({ summary: 'Read an organization' })
  @Answer(OrgEnvelope, 'The organization.')
  @Failures(400, 401, 404, 503)
  readOrg(@Param('slug', OrgBySlug) org: Organization): OrgEnvelope {
    return { org: toOrg(org) };
  }

  @Patch('orgs/:slug')
  @SlugParam()
  @Audited('org.update')
  @ApiOperation({ summary: 'Rename an organization' })
  @ApiBody({ type: ChangeOrg })
  @Answer(OrgEnvelope, 'The organization as it is now.')
  @Failures(400, 401, 404, 413, 415, 503)
  changeOrg(
    @Param('slug', OrgBySlug) org: Organization,
    @Body() body: ChangeOrg,
    @CurrentActor() actor: AuditActor,
  ): Promise<OrgEnvelope> {
    return this.orgs.change(org, body, actor);
  }

  @Post('orgs/:slug/suspend')
  @HttpCode(200)
  @SlugParam()
  @Audited('org.suspend')
  @ApiOperation({ summary: 'Keep the people of an organization out, and let it start no runs; those under way go on' })
  @Answer(OrgEnvelope, 'The organization as it is now; the same when it was suspended before.')
  @Failures(400, 401, 404, 413, 415, 503)
  suspendOrg(@Param('slug', OrgBySlug) org: Organization, @CurrentActor() actor: AuditActor): Promise<OrgEnvelope> {
    return this.orgs.suspend(org, actor);
  }

  @Post('orgs/:slug/resume')
  @HttpCode(200)
  @SlugParam()
  @Audited('org.resume')
  @ApiOperation({ summary: 'Let an organization work again' })
  @Answer(OrgEnvelope, 'The organization as it is now.')
  @Failures(400, 401, 404, 413, 415, 503)
  resumeOrg(@Param('slug', OrgBySlug) org: Organization, @CurrentActor() actor: AuditActor): Promise<OrgEnvelope> {
    return this.orgs.resume(org, actor);
  }

  @Get('audit')
  @AuthAuditQueries()
  @ApiQuery({ name: 'org', required: false, schema: { type: 'string' }, description: 'Slug of an organization.' })
  @ApiOperation({ summary: 'Read the log of privileged steps, of one organization or of the deployment' })
  @Answer(AuthAuditList, 'Newest first.')
  @Failures(400, 401, 404, 503)
  listAdminAudit(@Query() query: ListDeploymentAudit): Promise<AuthAuditList> {
    return this.orgs.audit(query);
  }
}
