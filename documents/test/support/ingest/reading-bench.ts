import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import {
  beginIngest,
  finishIngest,
  openParse,
  type IngestAttempt,
  type IngestEnd,
} from '../../../src/core/ingest/ingest-moves.js';
import { writePages } from '../../../src/core/pages/write-pages.js';
import type { RecordTransaction } from '../../../src/core/record/record.js';
import { writeChunks } from '../../../src/core/search/write-chunks.js';
import type { Page } from '../../../src/domain/page-model.js';
import type { TestDatabase } from '../database/database.js';
import type { PlantedOrganization } from '../database/plant-organization.js';
import { plantVersion, type PlantedVersion } from '../documents/plant-version.js';

const OPTIONS = randomBytes(32);

/** An attempt, and what holds its pages. */
export interface OpenReading {
  at: IngestAttempt;
  parseId: string;
  reused: boolean | undefined;
}

/** Reads versions as the steps of an ingest do, without files and parsers: pages have the text that is given. */
export class ReadingBench {
  constructor(
    readonly test: TestDatabase,
    readonly org: PlantedOrganization,
  ) {}

  readonly inOrg = <T>(work: (tx: RecordTransaction) => Promise<T>): Promise<T> =>
    this.test.record.inOrganization(this.org.orgId, work);

  plant(name?: string): Promise<PlantedVersion> {
    return plantVersion(this.test.owner, this.org, name === undefined ? {} : { name });
  }

  /** Opens what holds the pages of a version with these bytes. */
  open(versionId: string, sha256: string): Promise<OpenReading> {
    return this.inOrg((tx) => this.openIn(tx, versionId, sha256));
  }

  async openIn(tx: RecordTransaction, versionId: string, sha256: string): Promise<OpenReading> {
    const subject = await beginIngest(tx, versionId);
    const at: IngestAttempt = { versionId, attempt: subject?.attempt ?? 0 };
    const parse = { id: uuidv7(), optionsDigest: OPTIONS, pageCount: 2, warnings: [] };
    const opened = await openParse(tx, at, { sha256, kind: 'text', contentType: 'text/plain' }, parse);
    return { at, parseId: opened?.parseId ?? '', reused: opened?.reused };
  }

  async read({ at, parseId }: OpenReading, words = 'bilateral covenant'): Promise<void> {
    await this.inOrg(async (tx) => {
      await writePages(tx, at, parseId, [pageOf(1, words), pageOf(2, 'closing words')], []);
      const chunk = {
        ...{ pageNumber: 1, chunkNumber: 1, charsFrom: 0, charsTo: words.length, cellRange: null },
        ...{ language: 'en', body: words },
      };
      await writeChunks(tx, parseId, [chunk]);
    });
  }

  finish({ at, parseId }: OpenReading, status: IngestEnd = 'ready') {
    return this.inOrg((tx) => finishIngest(tx, at, { status, parseId, error: null }));
  }

  /** Reads a version from its row to `ready`. */
  async readWhole(versionId: string, sha256 = randomBytes(32).toString('hex'), words?: string): Promise<OpenReading> {
    const reading = await this.open(versionId, sha256);
    if (reading.reused !== true) await this.read(reading, words);
    await this.finish(reading);
    return reading;
  }

  version(id: string): Promise<Record<string, unknown>> {
    return this.row('document_versions', id);
  }

  document(id: string): Promise<Record<string, unknown>> {
    return this.row('documents', id);
  }

  /** Undefined once it is swept. */
  async parseStatus(id: string): Promise<unknown> {
    return (await this.row('parses', id))['status'];
  }

  /** How often the lexicon has a word. */
  async wordsOf(word: string): Promise<number> {
    const { rows } = await this.test.owner.query<{ chunks: number }>(
      'select chunks from lexicon where project_id = $1 and lexeme = $2',
      [this.org.projectId, word],
    );
    return rows[0]?.chunks ?? 0;
  }

  private async row(table: string, id: string): Promise<Record<string, unknown>> {
    const { rows } = await this.test.owner.query<Record<string, unknown>>(`select * from ${table} where id = $1`, [id]);
    return rows[0] ?? {};
  }
}

/** A page without a layout. */
export function pageOf(pageNumber: number, text: string): Page {
  return {
    ...{
      pageNumber,
      width: 80,
      height: 60,
      unit: 'cell',
      rotation: 0,
      text,
      source: 'text_layer',
      ocrConfidence: null,
    },
    ...{ words: [], lines: [], rules: [], fields: [], images: [], tables: [], warnings: [] },
  };
}
