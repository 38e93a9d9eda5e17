import { Module } from '@nestjs/common';
import { PoliciesController } from './policies.controller.js';
import { PoliciesService } from './policies.service.js';
import { PolicyChangesService } from './policy-changes.service.js';
import { PolicyDraftsController } from './policy-drafts.controller.js';
import { PolicyDraftsService } from './policy-drafts.service.js';

@Module({
  controllers: [PolicyDraftsController, PoliciesController],
  providers: [PoliciesService, PolicyChangesService, PolicyDraftsService],
})
export class PoliciesModule {}
