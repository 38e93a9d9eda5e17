import { Injectable } from '@nestjs/common';
import { readUsage } from '../../core/quotas/read-usage.js';
import { Record } from '../../core/record/record.js';
import { roleOf } from '../../domain/access/scopes.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import type { Caller } from '../http/caller.decorator.js';
import type { MeView, UsageView } from './account.dto.js';

/** What a credential is, and what its organization uses. */
@Injectable()
export class AccountService {
  constructor(
    private readonly record: Record,
    private readonly config: ApiConfig,
  ) {}

  async me(caller: Caller): Promise<MeView> {
    const { rates, quotas, http } = this.config;
    return {
      principal: { kind: 'client', id: caller.clientId, name: caller.clientName },
      orgId: caller.orgId,
      role: roleOf(caller.scopes),
      scopes: caller.scopes,
      workspaceIds: caller.workspaceIds,
      projectIds: caller.projectIds,
      limits: {
        requestsPerMinute: rates.requestsPerMin,
        searchesPerMinute: rates.searchesPerMin,
        generationsPerMinute: rates.generationsPerMin,
        extractionsPerMinute: rates.extractionsPerMin,
        jsonBytes: http.maxJsonBytes,
        openUploads: quotas.openUploads,
        webhooksPerProject: quotas.webhooksPerProject,
        schemasPerProject: quotas.schemasPerProject,
        runningExtractions: quotas.runningExtractions,
      },
      ...(await this.usage(caller)),
    };
  }

  async usage({ orgId }: Caller): Promise<UsageView> {
    const { quotas } = this.config;
    return { usage: await this.record.inOrganization(orgId, (tx) => readUsage(tx, quotas, new Date())) };
  }
}
