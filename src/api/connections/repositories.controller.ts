import { applyDecorators, Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, viewerOf, type Principal } from '../auth/principal.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { validated, type QueryValue } from '../http/validated.js';
import type { CodehostPage } from '../../platform/codehost/code-host.js';
import { RefList, RefsQuery, RepositoryList, RepositoriesQuery } from './repositories.dto.js';
import { RepositoriesService } from './repositories.service.js';

const MAX_PER_PAGE = 100;
const MAX_PAGE = 1_000_000;

@ApiTags('Connections')
@Controller('v1/connections/:id')
export class RepositoriesController {
  constructor(private readonly repositories: RepositoriesService) {}

  @Get('repos')
  @Permission('connections.read')
  @ApiOperation({ summary: 'List the repositories that a connection of the code host sees' })
  @IdParam('id', 'connection')
  @PageQueries()
  @Answer(RepositoryList, 'One page of them.')
  @Failures(400, 401, 404, 409, 503)
  listRepositories(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query('page') page?: QueryValue,
    @Query('per_page') perPage?: QueryValue,
  ): Promise<RepositoryList> {
    const connectionId = pathId(id, 'connection');
    const query = validated(RepositoriesQuery, { page, per_page: perPage }, 'page', 'per_page');
    return this.repositories.list(viewerOf(principal), connectionId, pageOf(query));
  }

  @Get('refs')
  @Permission('connections.read')
  @ApiOperation({ summary: 'List the branches of a repository that a connection of the code host sees' })
  @IdParam('id', 'connection')
  @ApiQuery({ name: 'repository', required: true, schema: { type: 'string' }, description: '`owner/name`.' })
  @PageQueries()
  @Answer(RefList, 'One page of them. A host that counts otherwise answers pages of its own size.')
  @Failures(400, 401, 404, 409, 503)
  listRefs(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query('repository') repository?: QueryValue,
    @Query('page') page?: QueryValue,
    @Query('per_page') perPage?: QueryValue,
  ): Promise<RefList> {
    const connectionId = pathId(id, 'connection');
    const sent = { repository, page, per_page: perPage };
    const query = validated(RefsQuery, sent, 'repository', 'page', 'per_page');
    return this.repositories.refs(viewerOf(principal), connectionId, query.repository, pageOf(query));
  }
}

/** Queries `page` and `per_page`. */
function PageQueries(): MethodDecorator {
  return applyDecorators(
    ApiQuery({ name: 'page', required: false, schema: { type: 'integer', minimum: 1, default: 1 } }),
    ApiQuery({
      name: 'per_page',
      required: false,
      schema: { type: 'integer', minimum: 1, default: 50 },
      description: 'More than 100 counts as 100.',
    }),
  );
}

function pageOf({ page, per_page: perPage }: RepositoriesQuery): CodehostPage {
  return { page: Math.min(Number(page ?? 1), MAX_PAGE), perPage: Math.min(Number(perPage ?? 50), MAX_PER_PAGE) };
}
