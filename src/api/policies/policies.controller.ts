import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { isStorableText } from '../http/request-text.js';
import { notFound } from '../http/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { PoliciesService } from './policies.service.js';
import { PolicyList, PolicyView } from './policies.dto.js';

@ApiTags('Policies')
@ApiBearerAuth('bearer')
@Controller('v1/policies')
export class PoliciesController {
  constructor(private readonly policies: PoliciesService) {}

  @Get()
  @Permission('policies.read')
  @ApiOperation({ summary: 'List policies at their heads' })
  @Answer(PolicyList, 'All policies of the organization.')
  @Failures(400, 401, 503)
  async listPolicies(@CurrentPrincipal() principal: Principal): Promise<PolicyList> {
    return { policies: await this.policies.list(principal.organizationId) };
  }

  @Get(':name')
  @Permission('policies.read')
  @ApiOperation({ summary: 'Read a policy at its head' })
  @ApiParam({ name: 'name', schema: { type: 'string', minLength: 1 } })
  @Answer(PolicyView, 'The head version.')
  @Failures(400, 401, 404, 503)
  readPolicy(@CurrentPrincipal() principal: Principal, @Param('name') name: string): Promise<PolicyView> {
    return this.policies.readHead(principal.organizationId, storable(name));
  }

  @Get(':name/versions/:version')
  @Permission('policies.read')
  @ApiOperation({ summary: 'Read a policy at one version' })
  @ApiParam({ name: 'name', schema: { type: 'string', minLength: 1 } })
  @ApiParam({ name: 'version', schema: { type: 'integer', format: 'int32', minimum: 1 } })
  @Answer(PolicyView, 'That version.')
  @Failures(400, 401, 404, 503)
  readPolicyVersion(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Param('version') version: string,
  ): Promise<PolicyView> {
    return this.policies.readVersion(principal.organizationId, storable(name), version);
  }
}

/** A name that no row can hold names none. */
function storable(name: string): string {
  if (!isStorableText(name)) throw notFound();
  return name;
}
