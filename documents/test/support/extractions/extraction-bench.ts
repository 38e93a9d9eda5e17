import { extractItem, type ExtractionDependencies } from '../../../src/activities/extract-item.js';
import type { RunRef } from '../../../src/activities/extraction-steps.js';
import { createExtractionActivities } from '../../../src/activities/extraction.activities.js';
import { resultKey } from '../../../src/core/extractions/result-text.js';
import { wakeWaiting } from '../../../src/core/extractions/wake-extraction.js';
import { DocumentStore } from '../../../src/api/foundation/store.module.js';
import type { BlobStore } from '../../../src/platform/blobs/blob-store.js';
import { startApi, type Answer, type TestApi, type TestOrganization } from '../api/api.js';
import type { PlantedDocument, PlantingGround } from '../search/plant-document.js';
import { plantReadDocument } from './plant-read-document.js';

/** A run as the API shows it, as far as specs look. */
export interface RunBody {
  id: string;
  externalId: string;
  schemaVersionId: string;
  status: string;
  attempt: number;
  documentVersionIds: string[];
  progress: { stage: string; itemsDone: number; itemsTotal: number };
  usage: { pages: number };
  warnings: { code: string; documentVersionId?: string }[];
  error: { code: string } | null;
  replayed?: boolean;
  requestMatches?: boolean;
}

export interface RefusedBody {
  error: { code: string; message: string; details: { path: string; code: string }[] };
}

export const LETTER = {
  type: 'object',
  properties: {
    subject: { type: 'string', description: 'What the letter is about, after "Subject".' },
    total: { type: 'number', description: 'The amount that is due, labelled "Total".' },
    lines: {
      type: 'array',
      description: 'What was delivered.',
      items: {
        type: 'object',
        properties: {
          item: { type: 'string', description: 'Its name.' },
          price: { type: 'number', description: 'Its price.' },
        },
      },
    },
  },
};

/** The API with a project and a schema, and the steps of a worker that are made when a spec says so. */
export class ExtractionBench {
  private constructor(
    readonly api: TestApi,
    readonly acme: TestOrganization,
    readonly projectId: string,
    readonly schemaVersionId: string,
    readonly schemaId: string,
    private readonly on: ExtractionDependencies,
  ) {}

  static async open(env: NodeJS.ProcessEnv = {}): Promise<ExtractionBench> {
    const api = await startApi({ DOCSVC_RATE_REQUESTS_PER_MIN: '1000000', ...env });
    const acme = await api.organization();
    const post = <B>(path: string, body: object): Promise<Answer<B>> => acme.ask<B>(path, { method: 'POST', body });
    const workspace = await post<{ id: string }>('/api/workspaces', { name: 'W' });
    const project = await post<{ id: string }>('/api/projects', { name: 'P', workspaceId: workspace.body.id });
    const schema = await post<{ id: string; latestVersionId: string }>(`/api/projects/${project.body.id}/schemas`, {
      ...{ name: 'Letter', jsonSchema: LETTER },
    });
    const { store } = api.app.get(DocumentStore);
    const ignore = (): void => undefined;
    const on = {
      ...{ record: api.database.record, store, timing: { heartbeatMs: 10_000 } },
      metrics: { countItem: ignore, countRun: ignore },
      log: { error: ignore },
    };
    return new ExtractionBench(api, acme, project.body.id, schema.body.latestVersionId, schema.body.id, on);
  }

  get store(): BlobStore {
    return this.on.store;
  }

  get ground(): PlantingGround {
    const { owner, record } = this.api.database;
    return { owner, record, orgId: this.acme.orgId, projectId: this.projectId };
  }

  document(
    name: string,
    pages: readonly (readonly string[])[] = [['Subject Oats', 'Total 12.50']],
  ): Promise<PlantedDocument> {
    return plantReadDocument(this.ground, this.store, name, pages);
  }

  /** A version of which nothing was read. */
  async unread(name: string, status: 'indexing' | 'failed'): Promise<PlantedDocument> {
    const planted = await this.document(name);
    const { owner } = this.api.database;
    await owner.query('update document_versions set status = $2, parse_id = null where id = $1', [
      planted.versionId,
      status,
    ]);
    return planted;
  }

  start(body: object = {}, projectId = this.projectId): Promise<Answer<RunBody & RefusedBody>> {
    const path = `/api/v2/projects/${projectId}/extractions`;
    return this.acme.ask(path, { method: 'POST', body: { schemaVersionId: this.schemaVersionId, ...body } });
  }

  async read(id: string): Promise<RunBody> {
    return (await this.acme.ask<RunBody>(`/api/v2/extractions/${id}`)).body;
  }

  result<B = ResultBody & RefusedBody>(id: string, query = ''): Promise<Answer<B>> {
    return this.acme.ask<B>(`/api/v2/extractions/${id}/result${query}`);
  }

  /** What its workflow does first. */
  async take(id: string): Promise<{ ref: RunRef; status: string } | null> {
    return createExtractionActivities(this.on).takeExtraction({ orgId: this.acme.orgId, subjectId: id });
  }

  /** @param number which try of the item it is */
  extract(ref: RunRef, item: number, number = 1): Promise<void> {
    return extractItem(this.on, ref, item, { signal: new AbortController().signal, number });
  }

  /** Plays the workflow of a run. */
  async drive(id: string): Promise<RunBody> {
    const steps = createExtractionActivities(this.on);
    const taken = await this.take(id);
    if (taken === null) throw new Error(`there is nothing to do for ${id}`);
    for (const item of await steps.listOpenItems(taken.ref, 0)) await this.extract(taken.ref, item);
    await steps.finishExtraction(taken.ref, 'internal');
    return this.read(id);
  }

  async finish(ref: RunRef): Promise<void> {
    await createExtractionActivities(this.on).finishExtraction(ref, 'internal');
  }

  /** Types of the events of a run, in their order. */
  async events(id: string): Promise<string[]> {
    const { rows } = await this.api.database.owner.query<{ type: string }>(
      `select type from events_outbox where data ->> 'extractionId' = $1 order by occurred_at, id`,
      [id],
    );
    return rows.map(({ type }) => type);
  }

  async audit(id: string): Promise<string[]> {
    const { rows } = await this.api.database.owner.query<{ action: string }>(
      'select action from audit_events where subject_id = $1 order by occurred_at, id',
      [id],
    );
    return rows.map(({ action }) => action);
  }

  /** Ends reading of some versions, one after the other. @returns how many wake-ups of a run each of them left */
  async wakeUpsAfter(id: string, versions: readonly PlantedDocument[]): Promise<number[]> {
    const { owner, record } = this.api.database;
    const count = async (): Promise<number> =>
      (await owner.query('select 1 from driver_outbox where subject_id = $1', [id])).rowCount ?? 0;
    const left: number[] = [];
    for (const { versionId, parseId } of versions) {
      const before = await count();
      await record.inOrganization(this.acme.orgId, async (tx) => {
        const read = `update document_versions set status = 'ready', parse_id = $2 where id = $1`;
        await tx.query(read, [versionId, parseId]);
        await wakeWaiting(tx, versionId);
      });
      left.push((await count()) - before);
    }
    return left;
  }

  /** Of the items of some runs, and whether their results are in the store. */
  async blobOwners(ids: readonly string[]): Promise<{ id: string; isKept: boolean }[]> {
    const { rows } = await this.api.database.owner.query<{ id: string }>(
      'select id from extraction_items where extraction_id = any ($1)',
      [ids],
    );
    return Promise.all(rows.map(async ({ id }) => ({ id, isKept: (await this.store.head(resultKey(id))) !== null })));
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

export interface FieldBody {
  confidence: number;
  citations: { documentId: string; documentName: string; documentVersionId: string; pageNumber: number }[];
  raw: string | null;
  signals?: object;
}

export interface DocumentBody {
  documentId: string | null;
  documentName: string | null;
  documentVersionId: string | null;
  documentVersionIds?: string[];
  status: string;
  data: { [name: string]: unknown };
  fields: { [path: string]: FieldBody };
  completeness: object[];
  confidence: { min: number | null; mean: number | null };
  needsReview: string[];
  warnings: { code: string }[];
}

export interface ResultBody {
  extractionId: string;
  status: string;
  attempt: number;
  results: DocumentBody[];
  failures: { documentId: string; code: string }[];
  purged: number;
  data?: { [name: string]: unknown };
  fields?: { [path: string]: FieldBody };
}
