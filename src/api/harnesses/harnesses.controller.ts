import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { Answer, Failures } from '../openapi/answers.js';
import { HarnessList } from './harnesses.dto.js';
import { HarnessesService } from './harnesses.service.js';

@ApiTags('Service')
@Controller('v1/harnesses')
export class HarnessesController {
  constructor(private readonly harnesses: HarnessesService) {}

  @Get()
  @Permission('harnesses.read')
  @ApiOperation({ summary: 'List the harnesses that agents can name' })
  @Answer(HarnessList, 'The harness catalog.')
  @Failures(400, 401)
  listHarnesses(): Promise<HarnessList> {
    return this.harnesses.list();
  }
}
