import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { AddedVersion } from '../documents/document-views.js';
import { AddedVersion as AddedVersionBody } from '../documents/documents.dto.js';
import { Caller } from '../http/caller.decorator.js';
import { PageAnswer, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures } from '../openapi/answers.js';
import { PageImagesService } from './page-images.service.js';
import { ImageQuery, OnePageQuery, PagesQuery, PageView, Reprocess, TablesQuery, TableView } from './pages.dto.js';
import { PagesService } from './pages.service.js';
import { ReprocessService } from './reprocess.service.js';

const PageParam = (): MethodDecorator =>
  ApiParam({ name: 'n', description: 'Number of the page.', schema: { type: 'integer', minimum: 1 } });

const PNG = { 'image/png': { schema: { type: 'string', format: 'binary' } } } as const;

@ApiTags('Pages')
@Controller('api/documents/:id')
export class PagesController {
  constructor(
    private readonly pages: PagesService,
    private readonly images: PageImagesService,
    private readonly again: ReprocessService,
  ) {}

  @Get('pages')
  @Scopes('documents:read')
  @ApiOperation({ summary: 'What the pages of a version say' })
  @DescribeId('document')
  @PageAnswer(PageView, 'Pages in their order.')
  @Failures(404, 409, 413, 415, 422, 423)
  listPages(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Query() query: PagesQuery,
  ): Promise<Page<PageView>> {
    return this.pages.list(caller, id, query);
  }

  @Get('pages/:n')
  @Scopes('documents:read')
  @ApiOperation({ summary: 'What a page says, and where' })
  @DescribeId('document')
  @PageParam()
  @Answer(PageView, 'The page.')
  @Failures(404, 409, 413, 415, 422, 423)
  readPage(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Param('n') page: string,
    @Query() query: OnePageQuery,
  ): Promise<PageView> {
    return this.pages.read(caller, id, page, query);
  }

  @Get('pages/:n/image')
  @Scopes('documents:read')
  @ApiOperation({ summary: 'A picture of a page' })
  @DescribeId('document')
  @PageParam()
  @ApiResponse({ status: 200, description: 'A PNG.', content: PNG })
  @Failures(404, 409, 415, 422, 423)
  async showPage(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Param('n') page: string,
    @Query() query: ImageQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const png = await this.images.read(caller, id, page, query);
    await reply.type('image/png').send(png);
  }

  @Get('tables')
  @Scopes('documents:read')
  @ApiOperation({ summary: 'Tables of a version; one may go on over several pages' })
  @DescribeId('document')
  @PageAnswer(TableView, 'Tables in their order.')
  @Failures(404, 409, 413, 415, 422, 423)
  listTables(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Query() query: TablesQuery,
  ): Promise<Page<TableView>> {
    return this.pages.tables(caller, id, query);
  }

  @Post('reprocess')
  @HttpCode(202)
  @Scopes('documents:write')
  @ApiOperation({ summary: 'Read a version again, otherwise or with its password' })
  @DescribeId('document')
  @ApiBody({ type: Reprocess, required: false })
  @Answer(AddedVersionBody, 'The document and the version, which is read next.', 202)
  @Failures(404, 409, 413, 415, 501)
  reprocessDocument(
    @Caller() caller: Caller,
    @IdParam('document') id: string,
    @Body() body: Reprocess,
  ): Promise<AddedVersion> {
    return this.again.reprocess(caller, id, body);
  }
}
