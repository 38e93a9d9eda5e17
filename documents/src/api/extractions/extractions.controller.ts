import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../http/caller.decorator.js';
import { PageAnswer, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures } from '../openapi/answers.js';
import { answerResult, CancelAnswers, ResultAnswers } from './extraction-answers.js';
import { ExtractionView, StartedExtraction } from './extraction-views.dto.js';
import { ExtractionsQuery, NewExtraction, ResultQuery, RetryBody } from './extractions.dto.js';
import { ExtractionsService } from './extractions.service.js';
import { ResultsService } from './results.service.js';

/** Runs of extraction, where those that start them are (DI-061). */
@ApiTags('Extractions')
@Controller('api/v2')
export class ExtractionsController {
  constructor(
    private readonly extractions: ExtractionsService,
    private readonly results: ResultsService,
  ) {}

  @Post('projects/:id/extractions')
  @Scopes('extractions:write')
  @HttpCode(202)
  @ApiOperation({ summary: 'Start a run; an externalId that the project has answers its run, and starts none' })
  @DescribeId('project')
  @Answer(StartedExtraction, 'The run, which goes on by itself.', 202)
  @Failures(404, 409, 413, 415, 422, 501)
  startExtraction(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Body() body: NewExtraction,
  ): Promise<StartedExtraction> {
    return this.extractions.start(caller, projectId, body);
  }

  @Get('projects/:id/extractions')
  @Scopes('extractions:read')
  @ApiOperation({ summary: 'List the runs of a project' })
  @DescribeId('project')
  @PageAnswer(ExtractionView, 'Runs, newest first.')
  @Failures(404, 409)
  listExtractions(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Query() query: ExtractionsQuery,
  ): Promise<Page<ExtractionView>> {
    return this.extractions.list(caller, projectId, query);
  }

  @Get('extractions/:id')
  @Scopes('extractions:read')
  @ApiOperation({ summary: 'Read a run' })
  @DescribeId('run')
  @Answer(ExtractionView, 'The run.')
  @Failures(404, 409)
  readExtraction(@Caller() caller: Caller, @IdParam('extraction') id: string): Promise<ExtractionView> {
    return this.extractions.read(caller, id);
  }

  @Get('extractions/:id/result')
  @Scopes('extractions:read')
  @ApiOperation({ summary: 'What a run came to, with a confidence and citations for each value' })
  @DescribeId('run')
  @ResultAnswers()
  async readResult(
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
  @ApiOperation({ summary: 'Stop a run; one that has ended stays as it is' })
  @DescribeId('run')
  @CancelAnswers()
  async cancelExtraction(
    @Caller() caller: Caller,
    @IdParam('extraction') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExtractionView> {
    const { run, isStopping } = await this.extractions.cancel(caller, id);
    void reply.status(isStopping ? 202 : 200);
    return run;
  }

  @Post('extractions/:id/retry')
  @Scopes('extractions:write')
  @HttpCode(202)
  @ApiOperation({ summary: 'Do a run again that failed, was cancelled or is partial; earlier attempts stay readable' })
  @DescribeId('run')
  @ApiBody({ type: RetryBody, required: false })
  @Answer(ExtractionView, 'The run, in its next attempt.', 202)
  @Failures(404, 409, 413, 415)
  retryExtraction(
    @Caller() caller: Caller,
    @IdParam('extraction') id: string,
    @Body() { onlyFailed }: RetryBody,
  ): Promise<ExtractionView> {
    return this.extractions.retry(caller, id, onlyFailed ?? false);
  }
}
