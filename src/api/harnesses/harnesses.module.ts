import { Module } from '@nestjs/common';
import { HarnessesController } from './harnesses.controller.js';
import { HarnessesService } from './harnesses.service.js';

@Module({ controllers: [HarnessesController], providers: [HarnessesService] })
export class HarnessesModule {}
