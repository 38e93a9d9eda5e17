import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AddedVersion } from '../documents/documents.dto.js';
import { Caller } from '../http/caller.decorator.js';
import { PageAnswer, PageQuery, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures, NoContent } from '../openapi/answers.js';
import {
  CompleteUploadBody,
  NewUploadBody,
  OpenedUpload,
  PartCursorQuery,
  PartUrl,
  SignPartsBody,
  UploadProgress,
  UploadSession,
} from './uploads.dto.js';
import { UploadsService } from './uploads.service.js';

@ApiTags('Uploads')
@Controller('api/projects/:id/uploads')
export class ProjectUploadsController {
  constructor(private readonly uploads: UploadsService) {}

  @Get()
  @Scopes('documents:read')
  @ApiOperation({ summary: 'Uploads of a project that have not ended' })
  @DescribeId('project')
  @PageAnswer(UploadSession, 'A page of uploads.')
  @Failures(404, 409)
  listUploads(
    @Caller() caller: Caller,
    @IdParam('project') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<UploadSession>> {
    return this.uploads.listOpen(caller, id, query);
  }

  @Post()
  @Scopes('documents:write')
  @ApiOperation({ summary: 'Begin to upload a file of up to 5 TB in parts' })
  @DescribeId('project')
  @Answer(OpenedUpload, 'The upload, with addresses for its first parts.', 201)
  @Failures(404, 409, 413, 415)
  openUpload(
    @Caller() caller: Caller,
    @IdParam('project') id: string,
    @Body() body: NewUploadBody,
  ): Promise<OpenedUpload> {
    return this.uploads.open(caller, id, body);
  }
}

@ApiTags('Uploads')
@Controller('api/uploads/:id')
export class UploadsController {
  constructor(private readonly uploads: UploadsService) {}

  @Get()
  @Scopes('documents:read')
  @ApiOperation({ summary: 'An upload with what has arrived and what is missing' })
  @DescribeId('upload')
  @Answer(UploadProgress, 'The upload.')
  @Failures(404, 409)
  readUpload(
    @Caller() caller: Caller,
    @IdParam('upload') id: string,
    @Query() query: PartCursorQuery,
  ): Promise<UploadProgress> {
    return this.uploads.read(caller, id, query);
  }

  @Delete()
  @HttpCode(204)
  @Scopes('documents:write')
  @ApiOperation({ summary: 'Abort an upload and give back the room of its parts' })
  @DescribeId('upload')
  @NoContent('It has ended.')
  @Failures(404, 409)
  abortUpload(@Caller() caller: Caller, @IdParam('upload') id: string): Promise<void> {
    return this.uploads.abort(caller, id);
  }

  @Post('parts')
  @HttpCode(200)
  @Scopes('documents:write')
  @ApiOperation({ summary: 'Addresses for parts, each good for one hour' })
  @DescribeId('upload')
  @Answer([PartUrl], 'In the order that was asked for.')
  @Failures(404, 409, 413, 415)
  signParts(
    @Caller() caller: Caller,
    @IdParam('upload') id: string,
    @Body() { partNumbers }: SignPartsBody,
  ): Promise<PartUrl[]> {
    return this.uploads.signParts(caller, id, partNumbers);
  }

  @Post('complete')
  @HttpCode(202)
  @Scopes('documents:write')
  @ApiOperation({ summary: 'Make a version of the parts; repeated, the same answer' })
  @DescribeId('upload')
  @Answer(AddedVersion, 'The document and its new version, which is read next.', 202)
  @Failures(404, 409, 410, 413, 415)
  completeUpload(
    @Caller() caller: Caller,
    @IdParam('upload') id: string,
    @Body() body: CompleteUploadBody,
  ): Promise<AddedVersion> {
    return this.uploads.complete(caller, id, body);
  }
}
