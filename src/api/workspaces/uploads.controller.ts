import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { parseIdempotencyKey } from '../../core/runs/idempotency-keys.js';
import { BASE_COMMIT_HEADER, LEFT_OUT_HEADER } from '../../domain/workspace/upload-limits.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdempotencyKeyHeader } from '../openapi/parameters.js';
import { readUploadHeaders } from './upload-headers.js';
import { toUploadView, UploadEnvelope } from './uploads.dto.js';
import { UploadsService } from './uploads.service.js';

@ApiTags('Runs')
@Controller('v1/workspaces')
export class UploadsController {
  constructor(private readonly uploads: UploadsService) {}

  @Post()
  @HttpCode(200)
  @Permission('sessions.create')
  @ApiOperation({
    summary: 'Send the files of a workspace',
    description:
      'A tar.gz of files, folders and links. It is its sender’s, for one run, and for one hour. An archive that cannot be unpacked ' +
      'safely is refused with the name of its entry: absolute paths, `..`, hard links, special files, git folders, entries that ' +
      'contradict each other. Files that look like secrets and links that leave the tree are left out.',
  })
  @IdempotencyKeyHeader('what it answered before')
  @ApiHeader({
    name: LEFT_OUT_HEADER,
    required: false,
    description: 'How many files the sender left out.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999 },
  })
  @ApiHeader({
    name: BASE_COMMIT_HEADER,
    required: false,
    description: 'Commit that the files were changed from.',
    schema: { type: 'string', pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' },
  })
  @ApiConsumes('application/gzip')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @Answer(UploadEnvelope, 'The files are there, and a run may use them.')
  @Failures(400, 401, 403, 409, 413, 415, 429, 503)
  async uploadWorkspace(
    @CurrentPrincipal() principal: Principal,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<UploadEnvelope> {
    const headers = readUploadHeaders(request.headers);
    const idempotencyKey = parseIdempotencyKey(key);
    const row = await this.uploads.receive({ principal, headers, body: request.raw, idempotencyKey });
    return { workspace: toUploadView(row) };
  }
}
