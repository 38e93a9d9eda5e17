import { Controller, Get, Header, Headers, Param, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiParam, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { prefersBytes } from './accept.js';
import { ArtifactList, ArtifactView, toArtifactView } from './artifacts.dto.js';
import { ArtifactsService } from './artifacts.service.js';

@ApiTags('Runs')
@Controller('v1/sessions/:id/artifacts')
export class ArtifactsController {
  constructor(private readonly artifacts: ArtifactsService) {}

  @Get()
  @Permission('sessions.read')
  @ApiOperation({ summary: 'List the artifacts of a run, with their content' })
  @IdParam('id', 'run')
  @Answer(ArtifactList, 'The artifacts, oldest first.')
  @Failures(400, 401, 404, 503)
  async listArtifacts(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<ArtifactList> {
    const artifacts = await this.artifacts.list(principal, pathId(id, 'run'));
    return { artifacts: artifacts.map(toArtifactView) };
  }

  @Get(':aid')
  @Permission('sessions.read')
  @Header('vary', 'accept')
  @ApiOperation({ summary: 'Read an artifact, as JSON or as its raw bytes' })
  @IdParam('id', 'run')
  @ApiParam({ name: 'aid', description: 'Id of the artifact.', schema: { type: 'string', minLength: 1 } })
  @ApiExtraModels(ArtifactView)
  @ApiResponse({
    status: 200,
    description: 'The artifact; its raw bytes when `Accept` prefers `application/octet-stream`.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ArtifactView) } },
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @Failures(400, 401, 404, 503)
  async readArtifact(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Param('aid') artifactId: string,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ArtifactView | Buffer> {
    const artifact = await this.artifacts.read(principal, pathId(id, 'run'), artifactId);
    if (!prefersBytes(accept)) return toArtifactView(artifact);
    void reply.type('application/octet-stream');
    return artifact.content;
  }
}
