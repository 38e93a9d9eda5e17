import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../http/caller.decorator.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Rate, Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures } from '../openapi/answers.js';
import { SearchAnswerView, SearchRequest } from './search.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('Search')
@Controller('api/projects')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Post(':id/search')
  @Scopes('search:read')
  @Rate('searches')
  @HttpCode(200)
  @ApiOperation({ summary: 'Search the documents of a project' })
  @DescribeId('project')
  @Answer(SearchAnswerView, 'Passages with document, page and excerpt, best first.')
  @Failures(404, 409, 413, 415, 501)
  searchProject(
    @Caller() caller: Caller,
    @IdParam('project') id: string,
    @Body() body: SearchRequest,
  ): Promise<SearchAnswerView> {
    return this.search.search(caller, id, body);
  }
}
