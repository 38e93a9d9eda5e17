import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { ExactObject } from '../../domain/digest/exact-json.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { ExactBody } from '../http/exact-body.js';
import { Answer, Failures } from '../openapi/answers.js';
import { ImportedPolicy, PolicyDeleted, PolicyDetail, PolicyList, PolicyView } from './policies.dto.js';
import { PoliciesService } from './policies.service.js';
import { PolicyChangesService } from './policy-changes.service.js';
import { ClonePolicy, ImportPolicy, PublishPolicy, RevertPolicy } from './policy-requests.dto.js';

const NameParam = (): MethodDecorator => ApiParam({ name: 'name', schema: { type: 'string', minLength: 1 } });

@ApiTags('Policies')
@Controller('v1/policies')
export class PoliciesController {
  constructor(
    private readonly policies: PoliciesService,
    private readonly changes: PolicyChangesService,
  ) {}

  @Get()
  @Permission('policies.read')
  @ApiOperation({ summary: 'List policies at their heads' })
  @Answer(PolicyList, 'All policies of the organization.')
  @Failures(400, 401, 503)
  async listPolicies(@CurrentPrincipal() principal: Principal): Promise<PolicyList> {
    return { policies: await this.policies.list(principal.organizationId) };
  }

  @Post()
  @HttpCode(200)
  @Permission('policies.write')
  @ApiOperation({ summary: 'Create a policy from YAML, or append the version that replaces it' })
  @ApiBody({ type: ImportPolicy })
  @Answer(ImportedPolicy, 'The head; `appended` says whether it is new.')
  @Failures(400, 401, 403, 413, 415, 503)
  importPolicy(@CurrentPrincipal() principal: Principal, @Body() body: ImportPolicy): Promise<ImportedPolicy> {
    return this.changes.importYaml(principal.organizationId, body);
  }

  @Post('clone')
  @HttpCode(200)
  @Permission('policies.write')
  @ApiOperation({ summary: 'Make a policy from another one, or a blank one' })
  @ApiBody({ type: ClonePolicy })
  @Answer(PolicyView, 'Version 1 of the new policy.')
  @Failures(400, 401, 403, 409, 413, 415, 503)
  clonePolicy(@CurrentPrincipal() principal: Principal, @Body() body: ClonePolicy): Promise<PolicyView> {
    return this.changes.clone(principal.organizationId, body);
  }

  @Get(':name')
  @Permission('policies.read')
  @ApiOperation({ summary: 'Read a policy at its head, with its versions and what it says of every tool' })
  @NameParam()
  @Answer(PolicyDetail, 'The head version.')
  @Failures(400, 401, 404, 503)
  readPolicy(@CurrentPrincipal() principal: Principal, @Param('name') name: string): Promise<PolicyDetail> {
    return this.policies.readDetail(principal.organizationId, name);
  }

  @Delete(':name')
  @Permission('policies.write')
  @ApiOperation({ summary: 'Delete a policy that no agent revision names; runs keep what they froze' })
  @NameParam()
  @Answer(PolicyDeleted, 'It is gone with all its versions.')
  @Failures(400, 401, 403, 404, 409, 503)
  async deletePolicy(@CurrentPrincipal() principal: Principal, @Param('name') name: string): Promise<PolicyDeleted> {
    await this.changes.delete(principal.organizationId, name);
    return { deleted: true };
  }

  @Get(':name/versions/:version')
  @Permission('policies.read')
  @ApiOperation({ summary: 'Read a policy at one version' })
  @NameParam()
  @ApiParam({ name: 'version', schema: { type: 'integer', format: 'int32', minimum: 1 } })
  @Answer(PolicyView, 'That version.')
  @Failures(400, 401, 404, 503)
  readPolicyVersion(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Param('version') version: string,
  ): Promise<PolicyView> {
    return this.policies.readVersion(principal.organizationId, name, version);
  }

  @Post(':name/publish')
  @HttpCode(200)
  @Permission('policies.write')
  @ApiOperation({ summary: 'Append a draft after the version that it started from' })
  @NameParam()
  @ApiBody({ type: PublishPolicy })
  @Answer(PolicyView, 'The new head.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  publishPolicy(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() body: PublishPolicy,
    @ExactBody() exact: ExactObject,
  ): Promise<PolicyView> {
    return this.changes.publish(principal.organizationId, name, {
      content: exact['content'] ?? null,
      summary: body.summary,
      baseVersion: body.base_version,
    });
  }

  @Post(':name/revert')
  @HttpCode(200)
  @Permission('policies.write')
  @ApiOperation({ summary: 'Append the content of an earlier version as the new head' })
  @NameParam()
  @ApiBody({ type: RevertPolicy })
  @Answer(PolicyView, 'The new head.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  revertPolicy(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() body: RevertPolicy,
  ): Promise<PolicyView> {
    return this.changes.revert(principal.organizationId, name, body);
  }
}
