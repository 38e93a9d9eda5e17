import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IdParam } from '../http/row-id.pipe.js';
import { Public } from '../http/scopes.decorator.js';
import { DescribeId, OpenFailures } from '../openapi/answers.js';
import { SignatureQuery } from '../addresses/signature.dto.js';
import { DownloadsService } from './downloads.service.js';

const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } as const;

@ApiTags('Documents')
@Controller('api/downloads/:id')
export class DownloadsController {
  constructor(private readonly downloads: DownloadsService) {}

  @Get()
  @Public('the address is signed for this version, and expires')
  @ApiOperation({ summary: 'The bytes of a version, at an address that was signed for it' })
  @DescribeId('version')
  @ApiHeader({ name: 'Range', required: false, description: 'One range of bytes.', schema: { type: 'string' } })
  @ApiResponse({ status: 200, description: 'All bytes, as an attachment.', content: BYTES })
  @ApiResponse({ status: 206, description: 'The bytes of the range.', content: BYTES })
  @ApiResponse({ status: 416, description: 'The file does not have this range.' })
  @OpenFailures(400, 403, 404, 410, 500, 503)
  async downloadVersion(
    @IdParam('version') id: string,
    @Query() query: SignatureQuery,
    @Req() { method, headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = { range: headers.range, headersAlone: method === 'HEAD' };
    const { status, headers: said, body } = await this.downloads.open(id, query, asked);
    await reply.status(status).headers(said).send(body);
  }
}
