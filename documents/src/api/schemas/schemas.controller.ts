import { Body, Controller, Get, HttpCode, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { SHEET_SHAPES } from '../../domain/schemas/sheets/infer-schema.js';
import { Caller } from '../http/caller.decorator.js';
import { IfMatch, type Tagged } from '../http/etag.js';
import { PageAnswer, PageQuery, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Rate, Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures, IfMatchHeader } from '../openapi/answers.js';
import { MadeSchemaView, SchemaFromSheet, SchemaFromWords } from './made-schemas.dto.js';
import { MadeSchemasService } from './made-schemas.service.js';
import {
  NewSchema,
  NewSchemaVersion,
  SchemaChanges,
  SchemaRowView,
  SchemasQuery,
  SchemaToValidate,
  SchemaValidation,
  SchemaVersionView,
  SchemaView,
} from './schemas.dto.js';
import { SchemasService } from './schemas.service.js';

const SHEET_FORM = {
  type: 'object',
  required: ['file'],
  properties: {
    file: { type: 'string', contentMediaType: 'application/octet-stream' },
    sheetName: { type: 'string' },
    headerRow: { type: 'integer', minimum: 1 },
    shape: { type: 'string', enum: [...SHEET_SHAPES] },
    name: { type: 'string' },
    save: { type: 'boolean' },
  },
};

@ApiTags('Schemas')
@ApiExtraModels(SchemaFromSheet)
@Controller('api')
export class SchemasController {
  constructor(
    private readonly schemas: SchemasService,
    private readonly made: MadeSchemasService,
  ) {}

  @Get('projects/:id/schemas')
  @Scopes('schemas:read')
  @ApiOperation({ summary: 'List the schemas of a project' })
  @DescribeId('project')
  @PageAnswer(SchemaRowView, 'Schemas that are not archived, newest first.')
  @Failures(404, 409)
  listSchemas(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Query() query: SchemasQuery,
  ): Promise<Page<SchemaRowView>> {
    return this.schemas.list(caller, projectId, query);
  }

  @Post('projects/:id/schemas')
  @Scopes('schemas:write')
  @ApiOperation({ summary: 'Create a schema; the same name with the same content answers the one that is there' })
  @DescribeId('project')
  @Answer(SchemaView, 'The schema with the version that says this.', 201)
  @Failures(404, 409, 413, 415, 422)
  createSchema(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Body() body: NewSchema,
  ): Promise<Tagged<SchemaView>> {
    return this.schemas.create(caller, projectId, body);
  }

  @Post('projects/:id/schemas/validate')
  @Scopes('schemas:read')
  @HttpCode(200)
  @ApiOperation({ summary: 'Say everything that is wrong with a schema; nothing is kept' })
  @DescribeId('project')
  @Answer(SchemaValidation, 'Whether extraction takes it, and every fault with its place.')
  @Failures(404, 409, 413, 415)
  validateSchema(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Body() body: SchemaToValidate,
  ): Promise<SchemaValidation> {
    return this.schemas.validate(caller, projectId, body);
  }

  @Post('projects/:id/schemas/generate')
  @Scopes('schemas:write')
  @Rate('schema_generations')
  @HttpCode(200)
  @ApiOperation({ summary: 'Make a schema from words, without a model' })
  @DescribeId('project')
  @Answer(MadeSchemaView, 'The schema, why it is so, and what is uncertain in it.')
  @Failures(404, 409, 413, 415, 422, 423)
  generateSchema(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Body() body: SchemaFromWords,
  ): Promise<MadeSchemaView> {
    return this.made.generate(caller, projectId, body);
  }

  @Post('projects/:id/schemas/infer')
  @Scopes('schemas:write')
  @Rate('schema_generations')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Make a schema from a spreadsheet: one of the project, or one sent as a form, which is not kept',
  })
  @DescribeId('project')
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody({ schema: { oneOf: [{ $ref: getSchemaPath(SchemaFromSheet) }, SHEET_FORM] } })
  @Answer(MadeSchemaView, 'The schema, why it is so, and what is uncertain in it.')
  @Failures(404, 409, 413, 415, 422, 423)
  inferSchema(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Body() body: SchemaFromSheet,
    @Req() request: FastifyRequest,
  ): Promise<MadeSchemaView> {
    return this.made.infer(caller, projectId, body, request);
  }

  @Get('schemas/:id')
  @Scopes('schemas:read')
  @ApiOperation({ summary: 'Read a schema with its newest version, also an archived one' })
  @DescribeId('schema')
  @Answer(SchemaView, 'The schema.')
  @Failures(404, 409)
  readSchema(@Caller() caller: Caller, @IdParam('schema') id: string): Promise<Tagged<SchemaView>> {
    return this.schemas.read(caller, id);
  }

  @Patch('schemas/:id')
  @Scopes('schemas:write')
  @ApiOperation({ summary: 'Rename or describe a schema; what it says is changed by a version' })
  @DescribeId('schema')
  @IfMatchHeader()
  @Answer(SchemaView, 'The schema as it is now.')
  @Failures(404, 409, 413, 415)
  changeSchema(
    @Caller() caller: Caller,
    @IdParam('schema') id: string,
    @IfMatch() asked: number | null,
    @Body() body: SchemaChanges,
  ): Promise<Tagged<SchemaView>> {
    return this.schemas.change(caller, id, asked, body);
  }

  @Post('schemas/:id/archive')
  @Scopes('schemas:write')
  @HttpCode(200)
  @ApiOperation({ summary: 'Archive a schema: lists leave it out, its versions stay' })
  @DescribeId('schema')
  @Answer(SchemaView, 'The schema, archived.')
  @Failures(404, 409, 415)
  archiveSchema(@Caller() caller: Caller, @IdParam('schema') id: string): Promise<Tagged<SchemaView>> {
    return this.schemas.archive(caller, id);
  }

  @Get('schemas/:id/versions')
  @Scopes('schemas:read')
  @ApiOperation({ summary: 'List the versions of a schema' })
  @DescribeId('schema')
  @PageAnswer(SchemaVersionView, 'Versions, newest first.')
  @Failures(404, 409)
  listSchemaVersions(
    @Caller() caller: Caller,
    @IdParam('schema') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<SchemaVersionView>> {
    return this.schemas.versions(caller, id, query);
  }

  @Post('schemas/:id/versions')
  @Scopes('schemas:write')
  @ApiOperation({ summary: 'Add a version; content that a version has already answers that one' })
  @DescribeId('schema')
  @Answer(SchemaVersionView, 'The version that says this.', 201)
  @Failures(404, 409, 413, 415, 422)
  addSchemaVersion(
    @Caller() caller: Caller,
    @IdParam('schema') id: string,
    @Body() body: NewSchemaVersion,
  ): Promise<SchemaVersionView> {
    return this.schemas.addVersion(caller, id, body);
  }

  @Get('schema-versions/:id')
  @Scopes('schemas:read')
  @ApiOperation({ summary: 'Read one version of a schema; it never changes' })
  @DescribeId('version')
  @Answer(SchemaVersionView, 'The version.')
  @Failures(404, 409)
  readSchemaVersion(@Caller() caller: Caller, @IdParam('version') id: string): Promise<SchemaVersionView> {
    return this.schemas.readVersion(caller, id);
  }
}
