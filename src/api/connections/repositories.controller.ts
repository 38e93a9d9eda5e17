import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { SandgateError } from '../../domain/errors.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, viewerOf, type Principal } from '../auth/principal.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { RepositoryList } from './repositories.dto.js';
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
    @Query('page') page?: unknown,
    @Query('per_page') perPage?: unknown,
  ): Promise<RepositoryList> {
    return this.repositories.list(viewerOf(principal), pathId(id, 'connection'), {
      page: parseCount(page, 'page', 1, MAX_PAGE),
      perPage: parseCount(perPage, 'per_page', 50, MAX_PER_PAGE),
    });
  }
}

/** A number from 1 on; a larger one than the maximum counts as the maximum. */
function parseCount(given: unknown, member: string, otherwise: number, most: number): number {
  if (given === undefined || given === '') return otherwise;
  if (typeof given === 'string' && /^\d{1,15}$/.test(given) && Number(given) > 0) return Math.min(Number(given), most);
  throw new SandgateError('invalid_request', `${member}: must be a whole number of at least 1`);
}
