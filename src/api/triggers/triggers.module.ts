import { Module } from '@nestjs/common';
import { ChangeTriggerService } from './change-trigger.service.js';
import { CreateTriggerService } from './create-trigger.service.js';
import { InvocationsController } from './invocations.controller.js';
import { InvocationsService } from './invocations.service.js';
import { TriggerTerms } from './trigger-terms.js';
import { TriggersController } from './triggers.controller.js';
import { TriggersService } from './triggers.service.js';

@Module({
  controllers: [TriggersController, InvocationsController],
  providers: [TriggersService, CreateTriggerService, ChangeTriggerService, TriggerTerms, InvocationsService],
})
export class TriggersModule {}
