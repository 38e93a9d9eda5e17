import { Module } from '@nestjs/common';
import { ApprovalInputs } from './approval-inputs.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsService } from './approvals.service.js';

@Module({ controllers: [ApprovalsController], providers: [ApprovalsService, ApprovalInputs] })
export class ApprovalsModule {}
