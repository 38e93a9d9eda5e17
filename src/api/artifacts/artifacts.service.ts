import { Injectable } from '@nestjs/common';
import { isUuid } from '../../domain/uuid.js';
import { Database } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import { requireSessionExists } from '../sessions/session-lookup.js';
import { ArtifactEntity } from '../../core/artifacts/artifact.entity.js';

/** What a run left behind (docs/design/workspaces.md). */
@Injectable()
export class ArtifactsService {
  constructor(private readonly database: Database) {}

  list(organizationId: string, runId: string): Promise<ArtifactEntity[]> {
    return this.database.withTenant(organizationId, async (tx) => {
      await requireSessionExists(tx, runId);
      return tx.manager.find(ArtifactEntity, {
        where: { session_id: runId },
        order: { created_at: 'ASC', id: 'ASC' },
      });
    });
  }

  /** @throws SandgateError `not_found`, also for an artifact of another run. */
  read(organizationId: string, runId: string, artifactId: string): Promise<ArtifactEntity> {
    return this.database.withTenant(organizationId, async (tx) => {
      await requireSessionExists(tx, runId);
      const artifact = isUuid(artifactId)
        ? await tx.manager.findOneBy(ArtifactEntity, { id: artifactId, session_id: runId })
        : null;
      if (artifact === null) throw notFound('artifact of this run');
      return artifact;
    });
  }
}
