import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../http/caller.decorator.js';
import { IfMatch, type Tagged } from '../http/etag.js';
import { PageAnswer, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures, IfMatchHeader, NoContent } from '../openapi/answers.js';
import { NewProject, ProjectChanges, ProjectsQuery, ProjectView } from './projects.dto.js';
import { ProjectsService } from './projects.service.js';

@ApiTags('Projects')
@Controller('api/projects')
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Get()
  @Scopes('projects:read')
  @ApiOperation({ summary: 'List projects' })
  @PageAnswer(ProjectView, 'Projects that are not archived, newest first.')
  @Failures()
  listProjects(@Caller() caller: Caller, @Query() query: ProjectsQuery): Promise<Page<ProjectView>> {
    return this.projects.list(caller, query);
  }

  @Post()
  @Scopes('projects:write')
  @ApiOperation({ summary: 'Create a project in a workspace' })
  @Answer(ProjectView, 'The project.', 201)
  @Failures(404, 409, 413, 415, 501)
  createProject(@Caller() caller: Caller, @Body() body: NewProject): Promise<Tagged<ProjectView>> {
    return this.projects.create(caller, body);
  }

  @Get(':id')
  @Scopes('projects:read')
  @ApiOperation({ summary: 'Read a project, also an archived one' })
  @DescribeId('project')
  @Answer(ProjectView, 'The project.')
  @Failures(404)
  readProject(@Caller() caller: Caller, @IdParam('project') id: string): Promise<Tagged<ProjectView>> {
    return this.projects.read(caller, id);
  }

  @Patch(':id')
  @Scopes('projects:write')
  @ApiOperation({ summary: 'Change a project; settings that are left out stay' })
  @DescribeId('project')
  @IfMatchHeader()
  @Answer(ProjectView, 'The project as it is now.')
  @Failures(404, 409, 413, 415, 501)
  changeProject(
    @Caller() caller: Caller,
    @IdParam('project') id: string,
    @IfMatch() asked: number | null,
    @Body() body: ProjectChanges,
  ): Promise<Tagged<ProjectView>> {
    return this.projects.change(caller, id, asked, body);
  }

  @Delete(':id')
  @Scopes('projects:write')
  @HttpCode(204)
  @ApiOperation({ summary: 'Archive a project; what it holds is purged 30 days later' })
  @DescribeId('project')
  @NoContent('It is archived.')
  @Failures(404, 409)
  archiveProject(@Caller() caller: Caller, @IdParam('project') id: string): Promise<void> {
    return this.projects.archive(caller, id);
  }
}
