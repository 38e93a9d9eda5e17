import { Module } from '@nestjs/common';
import { HarnessAvailability } from './harness-availability.js';
import { HarnessCatalog } from './harness-catalog.js';
import { HarnessesController } from './harnesses.controller.js';
import { HarnessesService } from './harnesses.service.js';

@Module({
  controllers: [HarnessesController],
  providers: [HarnessCatalog, HarnessAvailability, HarnessesService],
  exports: [HarnessCatalog, HarnessAvailability],
})
export class HarnessesModule {}
