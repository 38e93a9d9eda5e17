import { Body, Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../core/identity/audit-log.js';
import type { Organization } from '../../core/organizations/organizations.js';
import { CurrentActor } from '../auth/current-actor.js';
import { OperatorPlane } from '../auth/permission.decorator.js';
import { Audited } from '../http/audited.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { OrgService } from '../org/org.service.js';
import { IdpList } from '../org/idp.dto.js';
import {
  ArmedBreakGlass,
  BreakGlass,
  ChangeIdp,
  CreateIdp,
  DisabledIdp,
  IdpEnvelope,
  MigratedIdp,
  MigrateIdp,
} from './admin-idp.dto.js';
import { AdminIdpService } from './admin-idp.service.js';
import { SlugParam } from './admin-orgs.dto.js';
import { OrgBySlug } from './org-by-slug.pipe.js';

const WHAT = 'identity provider';

@ApiTags('Operator: identity providers')
@OperatorPlane()
@Controller('v1/admin/orgs/:slug')
export class AdminIdpController {
  constructor(
    private readonly providers: AdminIdpService,
    private readonly orgs: OrgService,
  ) {}

  @Get('idp')
  @SlugParam()
  @ApiOperation({ summary: 'List the identity providers of an organization' })
  @Answer(IdpList, 'By generation, retired ones included; never a secret.')
  @Failures(400, 401, 404, 503)
  listIdps(@Param('slug', OrgBySlug) { id }: Organization): Promise<IdpList> {
    return this.orgs.listProviders(id);
  }

  @Post('idp')
  @HttpCode(200)
  @SlugParam()
  @Audited('idp.create')
  @ApiOperation({
    summary: 'Add an identity provider, asked and checked now; nobody signs in with it before it is activated',
  })
  @ApiBody({ type: CreateIdp })
  @Answer(IdpEnvelope, 'The staged provider.')
  @Failures(400, 401, 404, 409, 413, 415, 502, 503)
  createIdp(
    @Param('slug', OrgBySlug) { id }: Organization,
    @Body() body: CreateIdp,
    @CurrentActor() actor: AuditActor,
  ): Promise<IdpEnvelope> {
    return this.providers.create(id, body, actor);
  }

  @Patch('idp/:id')
  @SlugParam()
  @IdParam('id', WHAT)
  @Audited('idp.patch')
  @ApiOperation({ summary: 'Change an identity provider of any status' })
  @ApiBody({ type: ChangeIdp })
  @Answer(IdpEnvelope, 'The provider as it is now.')
  @Failures(400, 401, 404, 409, 413, 415, 503)
  changeIdp(
    @Param('slug', OrgBySlug) { id: organizationId }: Organization,
    @Param('id') provider: string,
    @Body() body: ChangeIdp,
    @CurrentActor() actor: AuditActor,
  ): Promise<IdpEnvelope> {
    return this.providers.change({ organizationId, provider, actor }, body);
  }

  @Post('idp/:id/activate')
  @HttpCode(200)
  @SlugParam()
  @IdParam('id', WHAT)
  @Audited('idp.activate')
  @ApiOperation({ summary: 'Let people sign in with a staged identity provider' })
  @Answer(IdpEnvelope, 'The active provider.')
  @Failures(400, 401, 404, 409, 413, 415, 503)
  activateIdp(
    @Param('slug', OrgBySlug) { id: organizationId }: Organization,
    @Param('id') provider: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<IdpEnvelope> {
    return this.providers.activate({ organizationId, provider, actor });
  }

  @Post('idp/:id/disable')
  @HttpCode(200)
  @SlugParam()
  @IdParam('id', WHAT)
  @Audited('idp.disable')
  @ApiOperation({ summary: 'Let nobody sign in with the active identity provider, and end its sessions' })
  @Answer(DisabledIdp, 'What ended with it.')
  @Failures(400, 401, 404, 409, 413, 415, 503)
  disableIdp(
    @Param('slug', OrgBySlug) { id: organizationId }: Organization,
    @Param('id') provider: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<DisabledIdp> {
    return this.providers.disable({ organizationId, provider, actor });
  }

  @Post('idp/:id/reactivate')
  @HttpCode(200)
  @SlugParam()
  @IdParam('id', WHAT)
  @Audited('idp.reactivate')
  @ApiOperation({ summary: 'Let people sign in with a disabled identity provider again' })
  @Answer(IdpEnvelope, 'The active provider.')
  @Failures(400, 401, 404, 409, 413, 415, 503)
  reactivateIdp(
    @Param('slug', OrgBySlug) { id: organizationId }: Organization,
    @Param('id') provider: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<IdpEnvelope> {
    return this.providers.reactivate({ organizationId, provider, actor });
  }

  @Post('idp/:id/migrate')
  @HttpCode(200)
  @SlugParam()
  @IdParam('id', WHAT)
  @Audited('idp.migrate')
  @ApiOperation({ summary: 'Put another issuer in the place of the active one' })
  @ApiBody({ type: MigrateIdp })
  @Answer(MigratedIdp, 'Both providers, and what ended with the old one.')
  @Failures(400, 401, 404, 409, 413, 415, 502, 503)
  migrateIdp(
    @Param('slug', OrgBySlug) { id: organizationId }: Organization,
    @Param('id') provider: string,
    @Body() body: MigrateIdp,
    @CurrentActor() actor: AuditActor,
  ): Promise<MigratedIdp> {
    return this.providers.migrate({ organizationId, provider, actor }, body);
  }

  @Post('break-glass-owner')
  @HttpCode(200)
  @SlugParam()
  @Audited('break_glass.arm')
  @ApiOperation({ summary: 'Arm an address: its next verified login becomes the first owner' })
  @ApiBody({ type: BreakGlass })
  @Answer(ArmedBreakGlass, 'For seven days.')
  @Failures(400, 401, 404, 409, 413, 415, 503)
  armBreakGlassOwner(
    @Param('slug', OrgBySlug) { id }: Organization,
    @Body() body: BreakGlass,
    @CurrentActor() actor: AuditActor,
  ): Promise<ArmedBreakGlass> {
    return this.providers.arm(id, body, actor);
  }
}
