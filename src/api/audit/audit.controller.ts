import { Readable } from 'node:stream';
import { Controller, Get, Param, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { LedgerKeyView } from './audit.dto.js';
import { AuditService } from './audit.service.js';

/** Lets an auditor export the timeline and verify it without a server. */
@ApiTags('Audit')
@Controller('v1')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get('sessions/:id/events/export')
  @Permission('audit.export')
  @ApiOperation({ summary: 'Export the timeline of a run with its hash chain and a signed head' })
  @IdParam('id', 'run')
  @ApiResponse({
    status: 200,
    description: 'JSON lines: a header, every event in order, and the head signed with the key of `/v1/ledger-key`.',
    content: { 'application/x-ndjson': { schema: { type: 'string' } } },
  })
  @Failures(400, 401, 403, 404, 503)
  async exportEvents(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<StreamableFile> {
    const lines = await this.audit.export(principal, pathId(id, 'run'));
    return new StreamableFile(Readable.from(lines, { objectMode: false }), { type: 'application/x-ndjson' });
  }

  @Get('ledger-key')
  @Permission('audit.export')
  @ApiOperation({ summary: 'Read the public key that verifies signed ledger heads' })
  @Answer(LedgerKeyView, 'The public key.')
  @Failures(400, 401, 403, 503)
  readLedgerKey(): LedgerKeyView {
    return this.audit.publicKey();
  }
}
