import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../http/caller.decorator.js';
import { PageAnswer, type Page } from '../http/page.js';
import { IdParam } from '../http/row-id.pipe.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, DescribeId, Failures } from '../openapi/answers.js';
import { DeliveriesQuery, DeliveryView } from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';

@ApiTags('Webhooks')
@Controller('api')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get('webhooks/:id/deliveries')
  @Scopes('webhooks:read')
  @ApiOperation({ summary: 'List the deliveries of a webhook with their attempts; they are kept for 30 days' })
  @DescribeId('webhook')
  @PageAnswer(DeliveryView, 'Deliveries, newest first.')
  @Failures(404, 409)
  listDeliveries(
    @Caller() caller: Caller,
    @IdParam('webhook') id: string,
    @Query() query: DeliveriesQuery,
  ): Promise<Page<DeliveryView>> {
    return this.deliveries.list(caller, id, query);
  }

  @Get('deliveries/:id')
  @Scopes('webhooks:read')
  @ApiOperation({ summary: 'Read a delivery with its attempts' })
  @DescribeId('delivery')
  @Answer(DeliveryView, 'The delivery.')
  @Failures(404, 409)
  readDelivery(@Caller() caller: Caller, @IdParam('delivery') id: string): Promise<DeliveryView> {
    return this.deliveries.read(caller, id);
  }

  @Post('deliveries/:id/redeliver')
  @Scopes('webhooks:write')
  @HttpCode(202)
  @ApiOperation({ summary: 'Send a finished delivery again: the same id and body, with attempts of its own' })
  @DescribeId('delivery')
  @Answer(DeliveryView, 'The delivery, on its way.', 202)
  @Failures(404, 409, 415)
  redeliver(@Caller() caller: Caller, @IdParam('delivery') id: string): Promise<DeliveryView> {
    return this.deliveries.redeliver(caller, id);
  }
}
