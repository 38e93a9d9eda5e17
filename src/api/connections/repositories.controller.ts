import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, viewerOf, type Principal } from '../auth/principal.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { validated, type QueryValue } from '../http/validated.js';
import { RepositoryList, RepositoriesQuery } from './repositories.dto.js';
import { RepositoriesService } from './repositories.service.js';

const MAX_PER_PAGE = 100;
const MAX_PAGE = 1_000_000;

@ApiTags('Connections')
@ApiBearerAuth('bearer')
@Controller('v1/connections/:id/repos')
export class RepositoriesController {
  constructor(private readonly repositories: RepositoriesService) {}

  @Get()
  @Permission('connections.read')
  @ApiOperation({ summary: 'List the repositories that a connection of the code host sees' })
  @IdParam('id', 'connection')
  @ApiQuery({ name: 'page', required: false, schema: { type: 'integer', minimum: 1, default: 1 } })
  @ApiQuery({
    name: 'per_page',
    required: false,
    schema: { type: 'integer', minimum: 1, default: 50 },
    description: 'More than 100 counts as 100.',
  })
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
    return this.repositories.list(viewerOf(principal), connectionId, {
      page: Math.min(Number(query.page ?? 1), MAX_PAGE),
      perPage: Math.min(Number(query.per_page ?? 50), MAX_PER_PAGE),
    });
  }
}
