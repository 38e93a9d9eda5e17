import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller.js';
import { AgentsService } from './agents.service.js';
import { RevisionDrafter } from './revision-draft.js';

@Module({ controllers: [AgentsController], providers: [AgentsService, RevisionDrafter] })
export class AgentsModule {}
