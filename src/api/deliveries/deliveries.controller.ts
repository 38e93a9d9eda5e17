import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { pathId } from '../../domain/resource-id.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { DeliveryList, DeliveryView, toDeliveryView } from './deliveries.dto.js';
import { DeliveriesService } from './deliveries.service.js';

@ApiTags('Runs')
@Controller('v1/sessions/:id/deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get()
  @Permission('sessions.read')
  @ApiOperation({ summary: 'List the deliveries of the result of a run' })
  @IdParam('id', 'run')
  @Answer(DeliveryList, 'One for each destination once the run has ended.')
  @Failures(400, 401, 404, 503)
  async listDeliveries(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<DeliveryList> {
    const deliveries = await this.deliveries.list(principal, pathId(id, 'run'));
    return { deliveries: deliveries.map(toDeliveryView) };
  }

  @Post(':delivery_id/resend')
  @HttpCode(200)
  @Permission('deliveries.resend')
  @ApiOperation({
    summary: 'Send a settled delivery again, from its first attempt, under the same id',
    description:
      'Also one that had arrived. A receiver that deduplicates by the id takes it as a repetition. 409 while it is on its way.',
  })
  @IdParam('id', 'run')
  @IdParam('delivery_id', 'delivery')
  @Answer(DeliveryView, 'The delivery, pending again.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  async resendDelivery(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<DeliveryView> {
    const [run, delivery] = [pathId(id, 'run'), pathId(deliveryId, 'delivery of this run')];
    return toDeliveryView(await this.deliveries.resend(principal, run, delivery));
  }
}
