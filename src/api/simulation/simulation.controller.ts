import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { untilHungUp } from '../http/until-hung-up.js';
import { Answer, Failures } from '../openapi/answers.js';
import { SimulatePolicy, SimulationView } from './simulation.dto.js';
import { SimulationService } from './simulation.service.js';

@ApiTags('Policies')
@Controller('v1/policies')
export class SimulationController {
  constructor(private readonly simulations: SimulationService) {}

  /** The answer shows parts of commands, so it is for those who may publish. */
  @Post(':name/simulate')
  @HttpCode(200)
  @Permission('policies.write')
  @ApiOperation({ summary: 'Try a draft against recorded calls: what would change' })
  @ApiParam({ name: 'name', schema: { type: 'string', minLength: 1 } })
  @ApiBody({ type: SimulatePolicy })
  @Answer(SimulationView, 'What the draft would change. Nothing is stored.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  simulatePolicy(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() body: SimulatePolicy,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SimulationView> {
    return this.simulations.simulate(principal, name, body, untilHungUp(reply));
  }
}
