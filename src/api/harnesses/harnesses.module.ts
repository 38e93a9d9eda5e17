import { Module } from '@nestjs/common';
import { HarnessCatalog } from './harness-catalog.js';
import { HarnessesController } from './harnesses.controller.js';

@Module({ controllers: [HarnessesController], providers: [HarnessCatalog], exports: [HarnessCatalog] })
export class HarnessesModule {}
