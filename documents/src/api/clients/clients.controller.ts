import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../http/caller.decorator.js';
import { PageAnswer, PageQuery, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures, NoContent } from '../openapi/answers.js';
import { ClientView, ClientWithSecret, NewClient } from './clients.dto.js';
import { ClientsService } from './clients.service.js';

@ApiTags('Access')
@Controller('api/clients')
export class ClientsController {
  constructor(private readonly clients: ClientsService) {}

  @Get()
  @Scopes('clients:manage')
  @ApiOperation({ summary: 'List clients, revoked ones too' })
  @PageAnswer(ClientView, 'Clients, newest first.')
  @Failures()
  listClients(@Caller() caller: Caller, @Query() query: PageQuery): Promise<Page<ClientView>> {
    return this.clients.list(caller, query);
  }

  @Post()
  @Scopes('clients:manage')
  @ApiOperation({ summary: 'Create a client with at most the rights of this credential' })
  @Answer(ClientWithSecret, 'The client, with its secret this once.', 201)
  @Failures(409, 413, 415)
  createClient(@Caller() caller: Caller, @Body() body: NewClient): Promise<ClientWithSecret> {
    return this.clients.create(caller, body);
  }

  @Post(':id/rotate')
  @Scopes('clients:manage')
  @HttpCode(200)
  @ApiOperation({ summary: 'Give a client a new secret; the one before stays good until the next rotation' })
  @DescribeId('client')
  @Answer(ClientWithSecret, 'The client, with its new secret this once.')
  @Failures(404, 409, 415)
  rotateClient(@Caller() caller: Caller, @IdParam('client') id: string): Promise<ClientWithSecret> {
    return this.clients.rotate(caller, id);
  }

  @Delete(':id')
  @Scopes('clients:manage')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revoke a client; its tokens end at once' })
  @DescribeId('client')
  @NoContent('It is revoked.')
  @Failures(404, 409)
  revokeClient(@Caller() caller: Caller, @IdParam('client') id: string): Promise<void> {
    return this.clients.revoke(caller, id);
  }
}
