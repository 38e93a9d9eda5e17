import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../http/scopes.decorator.js';
import { Answer, OpenFailures } from '../openapi/answers.js';
import { Health, Readiness } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('Service')
@Controller('api/health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Public('a load balancer asks whether the process serves')
  @ApiOperation({ summary: 'Whether the process serves; does not touch the database' })
  @Answer(Health, 'It serves.')
  @OpenFailures(503)
  getHealth(): Health {
    return this.health.alive();
  }

  @Get('ready')
  @Public('a load balancer asks whether the process can do its work')
  @ApiOperation({ summary: 'Whether the process reaches its database' })
  @Answer(Readiness, 'It is ready.')
  @OpenFailures(503)
  getReadiness(): Promise<Readiness> {
    return this.health.ready();
  }
}
