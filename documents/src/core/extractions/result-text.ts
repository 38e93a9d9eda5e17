import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createZstdDecompress } from 'node:zlib';
import type { ResultPart, ResultPartName } from '../../domain/extraction/run/result-parts.js';
import type { BlobStore } from '../../platform/blobs/blob-store.js';
import type { RecordTransaction } from '../record/record.js';
import { ExtractionItemEntity } from './extraction-item.entity.js';
import type { EndedStatus, ExtractionEntity } from './extraction.entity.js';

/** What is answered about a run as a whole, before its results. */
export type ResultHead = Pick<
  ExtractionEntity,
  'id' | 'schema_version_id' | 'external_id' | 'engine' | 'document_version_ids'
> & { attempt: number; status: EndedStatus };

/** A result of one item, whose texts lie in a blob. */
type ItemWithResult = ExtractionItemEntity & Required<{ parts: NonNullable<ExtractionItemEntity['parts']> }>;

/** The key of the blob that holds the result of an item. */
export function resultKey(itemId: string): string {
  return `${itemId}/result`;
}

/** Items of an attempt, in the order of its documents. */
export function listItems(
  tx: RecordTransaction,
  extractionId: string,
  attempt: number,
): Promise<ExtractionItemEntity[]> {
  return tx.manager.find(ExtractionItemEntity, {
    where: { extraction_id: extractionId, attempt },
    order: { item_number: 'ASC' },
  });
}

/**
 * What a run came to, as texts that are put behind each other: no result is ever held whole. Results whose documents were purged are left out.
 */
export class ResultText {
  private readonly results: ItemWithResult[];

  constructor(
    private readonly store: Pick<BlobStore, 'readRange'>,
    private readonly head: ResultHead,
    private readonly items: readonly ExtractionItemEntity[],
    private readonly withSignals = false,
  ) {
    this.results = items.filter((item): item is ItemWithResult => item.parts !== null);
  }

  /** Bytes of the largest members: data and what is said of it. */
  get bytes(): number {
    return this.results.reduce((sum, { parts }) => sum + parts.data.bytes + parts[this.fieldsPart].bytes, 0);
  }

  /** As one JSON object. */
  json(): Readable {
    return textStream(this.jsonPieces());
  }

  /** As a line of JSON for each result. */
  jsonl(): Readable {
    return textStream(this.linePieces());
  }

  /** The data of each result, in order, with the document that gave it. */
  async *data(): AsyncGenerator<{ documentName: string | null; data: string }> {
    for (const item of this.results) {
      const packed = await this.read(item, item.parts.data);
      yield { documentName: item.document_name, data: (await buffer(packed)).toString('utf8') };
    }
  }

  private get fieldsPart(): ResultPartName {
    return this.withSignals ? 'fieldsWithSignals' : 'fields';
  }

  private async *jsonPieces(): AsyncGenerator<string | Readable> {
    const { head, results } = this;
    const failures = this.items
      .filter(({ error }) => error !== null)
      .map((item) => ({ ...placeOf(item), ...item.error }));
    const purged = this.items.filter(({ purged_at, error }) => purged_at !== null && error === null).length;
    const members = {
      ...{ extractionId: head.id, status: head.status, schemaVersionId: head.schema_version_id },
      ...{ externalId: head.external_id, attempt: head.attempt, engine: head.engine, failures, purged },
    };
    yield `${JSON.stringify(members).slice(0, -1)},"results":[`;
    for (const [at, item] of results.entries()) {
      if (at > 0) yield ',';
      yield* this.resultPieces(item);
    }
    yield ']';
    const [only] = results;
    if (results.length === 1 && only !== undefined) {
      yield ',"data":';
      yield await this.read(only, only.parts.data);
      yield ',"fields":';
      yield await this.read(only, only.parts[this.fieldsPart]);
    }
    yield '}';
  }

  private async *linePieces(): AsyncGenerator<string | Readable> {
    for (const item of this.results) {
      yield* this.resultPieces(item);
      yield '\n';
    }
  }

  private async *resultPieces(item: ItemWithResult): AsyncGenerator<string | Readable> {
    const { document_version_ids } = this.head;
    const combined = item.document_version_id === null ? { documentVersionIds: document_version_ids } : {};
    const head = { ...placeOf(item), ...combined, status: item.status };
    yield `${JSON.stringify(head).slice(0, -1)},"data":`;
    yield await this.read(item, item.parts.data);
    yield ',"fields":';
    yield await this.read(item, item.parts[this.fieldsPart]);
    yield ',';
    yield await this.read(item, item.parts.rest);
    yield '}';
  }

  private async read({ result_of, id }: ItemWithResult, { offset, length }: ResultPart): Promise<Readable> {
    const packed = await this.store.readRange(resultKey(result_of ?? id), { offset, length });
    const text = createZstdDecompress();
    packed.once('error', (error) => text.destroy(error));
    return packed.pipe(text);
  }
}

function placeOf(item: ExtractionItemEntity): object {
  return {
    documentId: item.document_id,
    documentName: item.document_name,
    documentVersionId: item.document_version_id,
    version: item.version,
  };
}

function textStream(pieces: AsyncGenerator<string | Readable>): Readable {
  return Readable.from(bytesOf(pieces), { objectMode: false });
}

async function* bytesOf(pieces: AsyncGenerator<string | Readable>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece);
    else for await (const bytes of piece) yield bytes as Buffer;
  }
}
