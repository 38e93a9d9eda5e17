import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../http/caller.decorator.js';
import { IfMatch, type Tagged } from '../http/etag.js';
import { PageAnswer, PageQuery, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures, IfMatchHeader, NoContent } from '../openapi/answers.js';
import { ContentService } from './content.service.js';
import {
  AddedVersion,
  Document,
  DocumentPatch,
  DocumentsQuery,
  DocumentVersion,
  DownloadAddress,
  DownloadQuery,
  NewDocumentBody,
} from './documents.dto.js';
import { DocumentsService } from './documents.service.js';
import { VersionsService } from './versions.service.js';

const FORM_SCHEMA = {
  type: 'object',
  required: ['file'],
  properties: {
    file: { type: 'string', contentMediaType: 'application/octet-stream' },
    name: { type: 'string' },
    contentType: { type: 'string' },
    metadata: { type: 'string', description: 'A JSON object.' },
    labels: { type: 'array', items: { type: 'string' } },
  },
};

const VersionParam = (): MethodDecorator =>
  ApiParam({ name: 'version', description: 'Number of the version.', schema: { type: 'integer', minimum: 1 } });

@ApiTags('Documents')
@ApiExtraModels(NewDocumentBody)
@Controller('api/projects/:id/documents')
export class ProjectDocumentsController {
  constructor(
    private readonly documents: DocumentsService,
    private readonly content: ContentService,
  ) {}

  @Get()
  @Scopes('documents:read')
  @ApiOperation({ summary: 'Documents of a project' })
  @DescribeId('project')
  @PageAnswer(Document, 'A page of documents.')
  @Failures(404, 409)
  listDocuments(
    @Caller() caller: Caller,
    @IdParam('project') id: string,
    @Query() query: DocumentsQuery,
  ): Promise<Page<Document>> {
    return this.documents.list(caller, id, query);
  }

  @Post()
  @HttpCode(202)
  @Scopes('documents:write')
  @ApiOperation({ summary: 'Add a file of at most 32 MiB: as a form, as Base64, or from an address' })
  @DescribeId('project')
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody({ schema: { oneOf: [{ $ref: getSchemaPath(NewDocumentBody) }, FORM_SCHEMA] } })
  @Answer(AddedVersion, 'The document and its new version, which is read next.', 202)
  @Failures(404, 409, 413, 415)
  addDocument(
    @Caller() caller: Caller,
    @IdParam('project') id: string,
    @Body() body: NewDocumentBody,
    @Req() request: FastifyRequest,
  ): Promise<AddedVersion> {
    return this.content.add(caller, id, body, request);
  }
}

@ApiTags('Documents')
@Controller('api/documents/:id')
export class DocumentsController {
  constructor(
    private readonly documents: DocumentsService,
    private readonly versions: VersionsService,
  ) {}

  @Get()
  @Scopes('documents:read')
  @ApiOperation({ summary: 'A document' })
  @DescribeId('document')
  @Answer(Document, 'The document.')
  @Failures(404, 409)
  readDocument(@Caller() caller: Caller, @IdParam('document') id: string): Promise<Tagged<Document>> {
    return this.documents.read(caller, id);
  }

  @Patch()
  @Scopes('documents:write')
  @ApiOperation({ summary: 'Change name, metadata or labels of a document' })
  @DescribeId('document')
  @IfMatchHeader()
  @Answer(Document, 'The document as it is now.')
  @Failures(404, 409, 413, 415)
  changeDocument(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Body() patch: DocumentPatch,
    @IfMatch() ifMatch: number | null,
  ): Promise<Tagged<Document>> {
    return this.documents.change(caller, id, patch, ifMatch);
  }

  @Delete()
  @HttpCode(204)
  @Scopes('documents:delete')
  @ApiOperation({ summary: 'Delete a document; it is purged 30 days later' })
  @DescribeId('document')
  @IfMatchHeader()
  @NoContent('It is gone.')
  @Failures(404, 409)
  deleteDocument(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @IfMatch() ifMatch: number | null,
  ): Promise<void> {
    return this.documents.remove(caller, id, ifMatch);
  }

  @Get('versions')
  @Scopes('documents:read')
  @ApiOperation({ summary: 'Versions of a document' })
  @DescribeId('document')
  @PageAnswer(DocumentVersion, 'A page of versions.')
  @Failures(404, 409)
  listVersions(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<DocumentVersion>> {
    return this.versions.list(caller, id, query);
  }

  @Get('versions/:version')
  @Scopes('documents:read')
  @ApiOperation({ summary: 'A version of a document' })
  @DescribeId('document')
  @VersionParam()
  @Answer(DocumentVersion, 'The version.')
  @Failures(404, 409)
  readVersion(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Param('version') version: string,
  ): Promise<DocumentVersion> {
    return this.versions.read(caller, id, version);
  }

  @Post('versions/:version/restore')
  @HttpCode(202)
  @Scopes('documents:write')
  @ApiOperation({ summary: 'Make an older version the newest one again' })
  @DescribeId('document')
  @VersionParam()
  @Answer(AddedVersion, 'The document and its new version.', 202)
  @Failures(404, 409, 410)
  restoreVersion(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Param('version') version: string,
  ): Promise<AddedVersion> {
    return this.versions.restore(caller, id, version);
  }

  @Get('download')
  @Scopes('documents:read')
  @ApiOperation({ summary: 'An address for the bytes: as JSON where that is accepted by name, else as a redirect' })
  @DescribeId('document')
  @Answer(DownloadAddress, 'To whom names application/json in `Accept`.')
  @ApiResponse({ status: 302, description: 'To the address.' })
  @Failures(404, 409, 410)
  async downloadDocument(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Query() { version }: DownloadQuery,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DownloadAddress | undefined> {
    const address = await this.versions.download(caller, id, version);
    if (headers.accept?.includes('application/json') === true) return address;
    void reply.status(302).header('location', address.url);
    return undefined;
  }
}
