import { Controller, Param, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IdParam } from '../http/row-id.pipe.js';
import { Public } from '../http/scopes.decorator.js';
import { Answer, DescribeId, OpenFailures } from '../openapi/answers.js';
import { PartsService } from './parts.service.js';
import { SignatureQuery } from '../addresses/signature.dto.js';
import { SentPartAnswer } from './uploads.dto.js';

@ApiTags('Uploads')
@Controller('api/uploads/:id/parts/:partNumber')
export class PartsController {
  constructor(private readonly parts: PartsService) {}

  @Put()
  @Public('the address is signed for this part, and expires')
  @ApiOperation({ summary: 'Send the bytes of one part, at an address that was signed for it' })
  @DescribeId('upload')
  @ApiHeader({ name: 'Content-Digest', required: false, description: '`sha-256=:<base64>:` of the part, checked.' })
  @ApiConsumes('application/octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @Answer(SentPartAnswer, 'The part counts. The header `ETag` has its ETag.')
  @OpenFailures(400, 403, 404, 408, 409, 410, 415, 500, 503)
  async sendPart(
    @IdParam('upload') id: string,
    @Param('partNumber') partNumber: string,
    @Query() query: SignatureQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SentPartAnswer> {
    const answer = await this.parts.receive(id, partNumber, query, request);
    reply.header('etag', `"${answer.etag}"`);
    return answer;
  }
}
