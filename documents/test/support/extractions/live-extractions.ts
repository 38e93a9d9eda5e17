import { isUnreachable } from '../api/unreachable.js';
import type { LiveApi } from '../installation/live-api.js';
import type { LivePipeline } from '../installation/live-pipeline.js';

/** A run as the API answers it. */
export interface LiveRun {
  id: string;
  externalId: string;
  schemaId: string;
  schemaVersionId: string;
  status: string;
  progress: { itemsDone: number; itemsTotal: number };
  warnings: { code: string }[];
  replayed?: boolean;
}

const ENDED = new Set(['completed', 'partial', 'failed', 'cancelled']);

/** Runs of extraction on a deployment that lives. */
export class LiveExtractions {
  private constructor(
    private readonly live: LivePipeline,
    private readonly api: LiveApi,
    private readonly schemaVersionId: string,
  ) {}

  static async open(live: LivePipeline, api: LiveApi): Promise<LiveExtractions> {
    const jsonSchema = {
      type: 'object',
      properties: {
        pilot: { type: 'string', description: 'Name of the pilot, after "Pilot".' },
        draught: { type: 'number', description: 'How deep the ship lies, labelled "Draught", in metres.' },
      },
    };
    const path = `/api/projects/${live.org.projectId}/schemas`;
    const body = JSON.stringify({ name: 'Pilotage', jsonSchema });
    const schema = await api.ask<{ latestVersionId: string }>(path, { method: 'POST', body });
    return new LiveExtractions(live, api, schema.body.latestVersionId);
  }

  /** Starts a run; whoever gets no answer asks again with the same key. */
  start(externalId: string, asked: object = {}): Promise<LiveRun> {
    const path = `/api/v2/projects/${this.live.org.projectId}/extractions`;
    const body = JSON.stringify({ schemaVersionId: this.schemaVersionId, externalId, ...asked });
    return this.live.until('the run to be started', 60_000, async () => {
      const answer = await this.api.ask<LiveRun>(path, { method: 'POST', body }).catch(unlessUnreachable);
      if (answer === undefined || answer.status >= 500) return undefined;
      if (answer.status !== 202) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    });
  }

  async read(id: string): Promise<LiveRun> {
    return (await this.api.ask<LiveRun>(`/api/v2/extractions/${id}`)).body;
  }

  untilEnded(id: string, withinMs = 60_000): Promise<LiveRun> {
    return this.live.until(`run ${id} to end`, withinMs, async () => {
      // The record is asked first, because that costs the least.
      if (!ENDED.has(await this.recorded(id))) return undefined;
      const answer = await this.api.ask<LiveRun>(`/api/v2/extractions/${id}`).catch(unlessUnreachable);
      return answer !== undefined && ENDED.has(answer.body.status) ? answer.body : undefined;
    });
  }

  private async recorded(id: string): Promise<string> {
    const { rows } = await this.live.test.owner.query<{ status: string }>(
      'select status from extractions where id = $1',
      [id],
    );
    return rows[0]?.status ?? 'none';
  }

  async cancel(id: string): Promise<void> {
    await this.api.ask(`/api/v2/extractions/${id}/cancel`, { method: 'POST' });
  }

  /** All that is left of a run once it has ended, without ids and times. */
  async snapshot(id: string): Promise<object> {
    const query = async (sql: string): Promise<object[]> => (await this.live.test.owner.query<object>(sql, [id])).rows;
    const result = await this.api.ask<{ results: object[] }>(`/api/v2/extractions/${id}/result?include=signals`);
    return {
      run: await query(
        'select status, attempt, items_done, items_total, pages, warnings, error from extractions where id = $1',
      ),
      attempts: await query('select attempt, status, pages from extraction_attempts where extraction_id = $1'),
      items: await query(
        `select item_number, status, pages, warnings, error, result_of = id as is_own, purged_at from extraction_items
           where extraction_id = $1 order by item_number`,
      ),
      events: await query(
        `select type from events_outbox where data ->> 'extractionId' = $1::text order by occurred_at, id`,
      ),
      wakeUps: await query('select kind from driver_outbox where subject_id = $1'),
      results: JSON.stringify(result.body.results),
    };
  }
}

/** While the API is down nobody answers. */
function unlessUnreachable(error: unknown): undefined {
  if (!isUnreachable(error)) throw error;
}
