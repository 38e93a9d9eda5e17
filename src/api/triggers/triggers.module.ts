import { Module } from '@nestjs/common';
import { ChangeTriggerService } from './change-trigger.service.js';
import { CreateTriggerService } from './create-trigger.service.js';
import { TriggerTerms } from './trigger-terms.js';
import { TriggersController } from './triggers.controller.js';
import { TriggersService } from './triggers.service.js';

@Module({
  controllers: [TriggersController],
  providers: [TriggersService, CreateTriggerService, ChangeTriggerService, TriggerTerms],
})
export class TriggersModule {}
