import { Module } from '@nestjs/common';
import { InvocationsController } from './invocations.controller.js';
import { InvocationsService } from './invocations.service.js';

@Module({ controllers: [InvocationsController], providers: [InvocationsService] })
export class TriggersModule {}
