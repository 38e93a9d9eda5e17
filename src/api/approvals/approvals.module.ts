import { Module } from '@nestjs/common';
import { ApprovalInputs } from './approval-inputs.js';
import { ApprovalWatch } from './approval-watch.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsService } from './approvals.service.js';

@Module({ controllers: [ApprovalsController], providers: [ApprovalsService, ApprovalInputs, ApprovalWatch] })
export class ApprovalsModule {}
