import { Injectable } from '@nestjs/common';
import { isUuid } from '../../domain/uuid.js';
import { Database } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import { ArtifactEntity } from '../../core/artifacts/artifact.entity.js';
import { requireVisible } from '../../core/runs/visible-runs.js';
import type { Principal } from '../auth/principal.js';
import { runViewerOf } from '../auth/run-viewer.js';

/** What a run left behind (docs/design/workspaces.md). */
@Injectable()
export class ArtifactsService {
  constructor(private readonly database: Database) {}

  list(principal: Principal, runId: string): Promise<ArtifactEntity[]> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      await requireVisible(tx, runViewerOf(principal), runId);
      return tx.manager.find(ArtifactEntity, {
        where: { session_id: runId },
        order: { created_at: 'ASC', id: 'ASC' },
      });
    });
  }

  /** @throws SandgateError `not_found`, also for an artifact of another run. */
  read(principal: Principal, runId: string, artifactId: string): Promise<ArtifactEntity> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      await requireVisible(tx, runViewerOf(principal), runId);
      const artifact = isUuid(artifactId)
        ? await tx.manager.findOneBy(ArtifactEntity, { id: artifactId, session_id: runId })
        : null;
      if (artifact === null) throw notFound('artifact of this run');
      return artifact;
    });
  }
}
