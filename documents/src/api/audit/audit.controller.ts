import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../http/caller.decorator.js';
import { PageAnswer, type Page } from '../http/page.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Failures } from '../openapi/answers.js';
import { AuditEventView, AuditQuery } from './audit.dto.js';
import { AuditService } from './audit.service.js';

@ApiTags('Access')
@Controller('api/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Scopes('audit:read')
  @ApiOperation({ summary: 'List who did what: every write, and every read of what a document says' })
  @PageAnswer(AuditEventView, 'Entries, newest first.')
  @Failures(404)
  listAudit(@Caller() caller: Caller, @Query() query: AuditQuery): Promise<Page<AuditEventView>> {
    return this.audit.list(caller, query);
  }
}
