import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ExactObject } from '../../domain/digest/exact-json.js';
import { SandgateError } from '../../domain/errors.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { ExactBody } from '../http/exact-body.js';
import { Answer, Failures } from '../openapi/answers.js';
import { PolicyValidity } from './policies.dto.js';
import { callsOf, PolicyDraftsService } from './policy-drafts.service.js';
import { ValidatePolicy } from './policy-requests.dto.js';
import { PolicyPreview, PreviewPolicy } from './preview.dto.js';

/** What can be asked about a draft; both routes store nothing. */
@ApiTags('Policies')
@Controller('v1/policies')
export class PolicyDraftsController {
  constructor(private readonly drafts: PolicyDraftsService) {}

  @Post('validate')
  @HttpCode(200)
  @Permission('policies.read')
  @ApiOperation({ summary: 'Say whether a text is a valid policy' })
  @ApiBody({ type: ValidatePolicy })
  @Answer(PolicyValidity, 'Also for an invalid text: its faults are in `errors`.')
  @Failures(400, 401, 403, 413, 415, 503)
  validatePolicy(@ExactBody() { yaml }: ExactObject): PolicyValidity {
    // Skips the check for text that cannot be stored, because nothing is stored: such a text is an invalid policy, not an invalid request.
    if (typeof yaml !== 'string') throw new SandgateError('invalid_request', 'yaml: must be a string');
    return this.drafts.validate(yaml);
  }

  @Post('preview')
  @HttpCode(200)
  @Permission('policies.read')
  @ApiOperation({ summary: 'Show what a draft says of every tool and, on request, of calls' })
  @ApiBody({ type: PreviewPolicy })
  @Answer(PolicyPreview, 'The draft with its defaults, and what follows from it.')
  @Failures(400, 401, 403, 413, 415, 503)
  previewPolicy(
    @CurrentPrincipal() principal: Principal,
    @Body() body: PreviewPolicy,
    @ExactBody() exact: ExactObject,
  ): Promise<PolicyPreview> {
    return this.drafts.preview(principal.organizationId, {
      content: exact['content'] ?? null,
      name: body.name ?? null,
      calls: callsOf(exact),
    });
  }
}
