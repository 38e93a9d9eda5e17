import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../http/caller.decorator.js';
import { IfMatch, type Tagged } from '../http/etag.js';
import { PageAnswer, PageQuery, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures, IfMatchHeader, NoContent } from '../openapi/answers.js';
import { AttemptView } from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';
import { NewWebhook, WebhookChanges, WebhookView, WebhookWithSecret } from './webhooks.dto.js';
import { WebhooksService } from './webhooks.service.js';

@ApiTags('Webhooks')
@Controller('api')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Get('projects/:id/webhooks')
  @Scopes('webhooks:read')
  @ApiOperation({ summary: 'List the webhooks of a project' })
  @DescribeId('project')
  @PageAnswer(WebhookView, 'Webhooks, newest first.')
  @Failures(404, 409)
  listWebhooks(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Query() query: PageQuery,
  ): Promise<Page<WebhookView>> {
    return this.webhooks.list(caller, projectId, query);
  }

  @Post('projects/:id/webhooks')
  @Scopes('webhooks:write')
  @ApiOperation({ summary: 'Create a webhook' })
  @DescribeId('project')
  @Answer(WebhookWithSecret, 'The webhook, with its secret this once.', 201)
  @Failures(404, 409, 413, 415)
  createWebhook(
    @Caller() caller: Caller,
    @IdParam('project') projectId: string,
    @Body() body: NewWebhook,
  ): Promise<Tagged<WebhookWithSecret>> {
    return this.webhooks.create(caller, projectId, body);
  }

  @Get('webhooks/:id')
  @Scopes('webhooks:read')
  @ApiOperation({ summary: 'Read a webhook' })
  @DescribeId('webhook')
  @Answer(WebhookView, 'The webhook.')
  @Failures(404, 409)
  readWebhook(@Caller() caller: Caller, @IdParam('webhook') id: string): Promise<Tagged<WebhookView>> {
    return this.webhooks.read(caller, id);
  }

  @Patch('webhooks/:id')
  @Scopes('webhooks:write')
  @ApiOperation({
    summary: 'Change a webhook; enabling it forgets what failed, disabling it cancels what is on its way',
  })
  @DescribeId('webhook')
  @IfMatchHeader()
  @Answer(WebhookView, 'The webhook as it is now.')
  @Failures(404, 409, 413, 415)
  changeWebhook(
    @Caller() caller: Caller,
    @IdParam('webhook') id: string,
    @IfMatch() asked: number | null,
    @Body() body: WebhookChanges,
  ): Promise<Tagged<WebhookView>> {
    return this.webhooks.change(caller, id, asked, body);
  }

  @Delete('webhooks/:id')
  @Scopes('webhooks:write')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a webhook with its deliveries' })
  @DescribeId('webhook')
  @NoContent('It is deleted.')
  @Failures(404, 409)
  deleteWebhook(@Caller() caller: Caller, @IdParam('webhook') id: string): Promise<void> {
    return this.webhooks.remove(caller, id);
  }

  @Post('webhooks/:id/rotate')
  @Scopes('webhooks:write')
  @HttpCode(200)
  @ApiOperation({ summary: 'Give a webhook a new secret; for 24 hours the one before signs too' })
  @DescribeId('webhook')
  @Answer(WebhookWithSecret, 'The webhook, with its new secret this once.')
  @Failures(404, 409, 415)
  rotateWebhook(@Caller() caller: Caller, @IdParam('webhook') id: string): Promise<Tagged<WebhookWithSecret>> {
    return this.webhooks.rotate(caller, id);
  }

  @Post('webhooks/:id/test')
  @Scopes('webhooks:write')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send `webhook.test` now, and answer what came of it' })
  @DescribeId('webhook')
  @Answer(AttemptView, 'The attempt.')
  @Failures(404, 409, 415)
  testWebhook(@Caller() caller: Caller, @IdParam('webhook') id: string): Promise<AttemptView> {
    return this.deliveries.test(caller, id);
  }
}
