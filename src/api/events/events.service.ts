import { Injectable } from '@nestjs/common';
import type { LedgerEvent } from '../../domain/events/event-kinds.js';
import { Database } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import { readEventsAfter, readHeadSeq } from '../../core/ledger/event-queries.js';

/** Reads the timeline of a run (docs/design/events.md). */
@Injectable()
export class EventsService {
  constructor(private readonly database: Database) {}

  list(organizationId: string, runId: string, after: string, limit: number): Promise<LedgerEvent[]> {
    return this.database.withTenant(organizationId, async (tx) => {
      if ((await readHeadSeq(tx, runId)) === null) throw notFound('run');
      return readEventsAfter(tx, runId, after, limit);
    });
  }

  /** The run's highest seq. @throws SandgateError `not_found` */
  async requireHead(organizationId: string, runId: string): Promise<number> {
    const head = await this.database.withTenant(organizationId, (tx) => readHeadSeq(tx, runId));
    if (head === null) throw notFound('run');
    return head;
  }
}
