import { Injectable } from '@nestjs/common';
import type { LedgerEvent } from '../../domain/events/event-kinds.js';
import { Database } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import { readEventsAfter, readHeadSeq } from '../../core/ledger/event-queries.js';
import type { Principal } from '../auth/principal.js';
import { runViewerOf } from '../auth/run-viewer.js';

/** Reads the timeline of a run (docs/design/events.md). */
@Injectable()
export class EventsService {
  constructor(private readonly database: Database) {}

  /** @throws SandgateError `not_found`, also for a run that the caller does not see */
  list(principal: Principal, runId: string, after: string, limit: number): Promise<LedgerEvent[]> {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      if ((await readHeadSeq(tx, runId, runViewerOf(principal).invokedBy)) === null) throw notFound('run');
      return readEventsAfter(tx, runId, after, limit);
    });
  }

  /** The run's highest seq. @throws SandgateError `not_found` likewise */
  async requireHead(principal: Principal, runId: string): Promise<number> {
    const head = await this.database.withTenant(principal.organizationId, (tx) =>
      readHeadSeq(tx, runId, runViewerOf(principal).invokedBy),
    );
    if (head === null) throw notFound('run');
    return head;
  }
}
