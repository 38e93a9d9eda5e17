import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Permission } from '../auth/permission.decorator.js';
import { Answer, Failures } from '../openapi/answers.js';
import { HarnessCatalog } from './harness-catalog.js';
import { HarnessList, toHarnessView } from './harnesses.dto.js';

@ApiTags('Service')
@ApiBearerAuth('bearer')
@Controller('v1/harnesses')
export class HarnessesController {
  constructor(private readonly catalog: HarnessCatalog) {}

  @Get()
  @Permission('harnesses.read')
  @ApiOperation({ summary: 'List the harnesses that agents can name' })
  @Answer(HarnessList, 'The harness catalog.')
  @Failures(400, 401)
  listHarnesses(): HarnessList {
    return { harnesses: this.catalog.list().map(toHarnessView) };
  }
}
