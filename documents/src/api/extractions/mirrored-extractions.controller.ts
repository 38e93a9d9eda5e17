import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../http/caller.decorator.js';
import { PageAnswer, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures } from '../openapi/answers.js';
import { answerResult, CancelAnswers, ResultAnswers } from './extraction-answers.js';
import { ExtractionView } from './extraction-views.dto.js';
import { ExtractionsQuery, ResultQuery } from './extractions.dto.js';
import { ExtractionsService } from './extractions.service.js';
import { ResultsService } from './results.service.js';

/** What starts no run, at the addresses of everything else too (DI-061). */
@ApiTags('Extractions')
@Controller('api')
export class MirroredExtractionsController {
  constructor(
    private readonly extractions: ExtractionsService,
    private readonly results: ResultsService,
  ) {}

  @Get('projects/:id/extractions')
  @Scopes('extractions:read')
  @ApiOperation({ summary: 'As under /api/v2: list the runs of a project' })
  @DescribeId('project')
  @PageAnswer(ExtractionView, 'Runs, newest first.')
  @Failures(404, 409)
  listMirroredExtractions(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Query() query: ExtractionsQuery,
  ): Promise<Page<ExtractionView>> {
    return this.extractions.list(caller, projectId, query);
  }

  @Get('extractions/:id')
  @Scopes('extractions:read')
  @ApiOperation({ summary: 'As under /api/v2: read a run' })
  @DescribeId('run')
  @Answer(ExtractionView, 'The run.')
  @Failures(404, 409)
  readMirroredExtraction(@Caller() caller: Caller, @IdParam('extraction') id: string): Promise<ExtractionView> {
    return this.extractions.read(caller, id);
  }

  @Get('extractions/:id/result')
  @Scopes('extractions:read')
  @ApiOperation({ summary: 'As under /api/v2: what a run came to' })
  @DescribeId('run')
  @ResultAnswers()
  async readMirroredResult(
    @Caller() caller: Caller,
    @IdParam('extraction') id: string,
    @Query() query: ResultQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await answerResult(request, reply, await this.results.read(caller, id, query));
  }

  @Post('extractions/:id/cancel')
  @Scopes('extractions:write')
  @ApiOperation({ summary: 'As under /api/v2: stop a run' })
  @DescribeId('run')
  @CancelAnswers()
  async cancelMirroredExtraction(
    @Caller() caller: Caller,
    @IdParam('extraction') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExtractionView> {
    const { run, isStopping } = await this.extractions.cancel(caller, id);
    void reply.status(isStopping ? 202 : 200);
    return run;
  }
}
