import { Module } from '@nestjs/common';
import { ExtractionsController } from './extractions.controller.js';
import { ExtractionsService } from './extractions.service.js';
import { MirroredExtractionsController } from './mirrored-extractions.controller.js';
import { ResultsService } from './results.service.js';

@Module({
  controllers: [ExtractionsController, MirroredExtractionsController],
  providers: [ExtractionsService, ResultsService],
})
export class ExtractionsModule {}
