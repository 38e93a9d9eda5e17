import { Module } from '@nestjs/common';
import { HarnessesModule } from '../harnesses/harnesses.module.js';
import { AgentsController } from './agents.controller.js';
import { AgentsService } from './agents.service.js';
import { RevisionDrafter } from './revision-draft.js';

@Module({ imports: [HarnessesModule], controllers: [AgentsController], providers: [AgentsService, RevisionDrafter] })
export class AgentsModule {}
