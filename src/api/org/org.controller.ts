import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { Answer, Failures } from '../openapi/answers.js';
import { AuthAuditList, AuthAuditQueries, ListAuthAudit } from './auth-audit.dto.js';
import { AuthAuditService } from './auth-audit.service.js';
import { IdpList } from './idp.dto.js';
import { OrgEnvelope } from './org.dto.js';
import { OrgService } from './org.service.js';

@ApiTags('Organization')
@Controller('v1/org')
export class OrgController {
  constructor(
    private readonly org: OrgService,
    private readonly log: AuthAuditService,
  ) {}

  @Get()
  @Permission('org.read')
  @ApiOperation({ summary: 'Read the own organization' })
  @Answer(OrgEnvelope, 'The organization of the credential.')
  @Failures(400, 401, 403, 503)
  readOwnOrg(@CurrentPrincipal() { organizationId }: Principal): Promise<OrgEnvelope> {
    return this.org.read(organizationId);
  }

  @Get('idp')
  @Permission('org.manage')
  @ApiOperation({ summary: 'List the identity providers of the own organization, which the operator manages' })
  @Answer(IdpList, 'By generation, retired ones included; never a secret.')
  @Failures(400, 401, 403, 503)
  listOwnIdps(@CurrentPrincipal() { organizationId }: Principal): Promise<IdpList> {
    return this.org.listProviders(organizationId);
  }

  @Get('audit')
  @Permission('org.manage')
  @AuthAuditQueries()
  @ApiOperation({ summary: 'Read the log of privileged steps of the own organization' })
  @Answer(AuthAuditList, 'Newest first.')
  @Failures(400, 401, 403, 503)
  listOwnAudit(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query() query: ListAuthAudit,
  ): Promise<AuthAuditList> {
    return this.log.list(organizationId, query);
  }
}
