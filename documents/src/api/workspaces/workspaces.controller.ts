import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../http/caller.decorator.js';
import { IfMatch, type Tagged } from '../http/etag.js';
import { PageAnswer, PageQuery, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures, IfMatchHeader, NoContent } from '../openapi/answers.js';
import { NewWorkspace, WorkspaceChanges, WorkspaceView } from './workspaces.dto.js';
import { WorkspacesService } from './workspaces.service.js';

@ApiTags('Workspaces')
@Controller('api/workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @Get()
  @Scopes('workspaces:read')
  @ApiOperation({ summary: 'List workspaces' })
  @PageAnswer(WorkspaceView, 'Workspaces, newest first.')
  @Failures()
  listWorkspaces(@Caller() caller: Caller, @Query() query: PageQuery): Promise<Page<WorkspaceView>> {
    return this.workspaces.list(caller, query);
  }

  @Post()
  @Scopes('workspaces:write')
  @ApiOperation({ summary: 'Create a workspace' })
  @Answer(WorkspaceView, 'The workspace.', 201)
  @Failures(409, 413, 415)
  createWorkspace(@Caller() caller: Caller, @Body() body: NewWorkspace): Promise<Tagged<WorkspaceView>> {
    return this.workspaces.create(caller, body);
  }

  @Get(':id')
  @Scopes('workspaces:read')
  @ApiOperation({ summary: 'Read a workspace' })
  @DescribeId('workspace')
  @Answer(WorkspaceView, 'The workspace.')
  @Failures(404)
  readWorkspace(@Caller() caller: Caller, @IdParam('workspace') id: string): Promise<Tagged<WorkspaceView>> {
    return this.workspaces.read(caller, id);
  }

  @Patch(':id')
  @Scopes('workspaces:write')
  @ApiOperation({ summary: 'Change the name or the description of a workspace' })
  @DescribeId('workspace')
  @IfMatchHeader()
  @Answer(WorkspaceView, 'The workspace as it is now.')
  @Failures(404, 409, 413, 415)
  changeWorkspace(
    @Caller() caller: Caller,
    @IdParam('workspace') id: string,
    @IfMatch() asked: number | null,
    @Body() body: WorkspaceChanges,
  ): Promise<Tagged<WorkspaceView>> {
    return this.workspaces.change(caller, id, asked, body);
  }

  @Delete(':id')
  @Scopes('workspaces:write')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete an empty workspace' })
  @DescribeId('workspace')
  @NoContent('It is deleted.')
  @Failures(404, 409)
  deleteWorkspace(@Caller() caller: Caller, @IdParam('workspace') id: string): Promise<void> {
    return this.workspaces.remove(caller, id);
  }
}
