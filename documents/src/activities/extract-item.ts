import { Readable } from 'node:stream';
import {
  finishItem,
  listSources,
  readOpenItem,
  type ItemEnd,
  type OpenItem,
  type RunSource,
} from '../core/extractions/item-moves.js';
import type { RunWarning } from '../core/extractions/extraction.entity.js';
import { resultKey } from '../core/extractions/result-text.js';
import type { Record as DocsvcRecord } from '../core/record/record.js';
import { runError, type RunErrorCode } from '../domain/extraction/run/run-errors.js';
import type { BlobStore } from '../platform/blobs/blob-store.js';
import { EngineProcess } from '../platform/extraction/engine-process.js';
import type { ExtractionMetrics } from './extraction-metrics.js';
import type { RunRef } from './extraction-steps.js';
import { sendSource } from './send-source.js';

/** With what extraction is done. */
export interface ExtractionDependencies {
  record: DocsvcRecord;
  store: BlobStore;
  timing: RunRef['timing'];
  metrics: Pick<ExtractionMetrics, 'countItem' | 'countRun'>;
  log: { error(fields: object, message: string): void };
}

const MAX_BLOB_BYTES = 4 * 1024 ** 3;
/** Tries of one item, when engines are killed from outside; the last one ends it. */
const MOST_TRIES = 3;

/** How an item is tried. */
interface ItemTry {
  signal: AbortSignal;
  /** From 1. */
  number: number;
}

/**
 * Extracts what one document says, or all of them together, and keeps it. Done again it comes to the same.
 *
 * @throws EngineKilled for what is to be tried again, and the reason of the signal when that aborts
 */
export async function extractItem(
  on: ExtractionDependencies,
  ref: RunRef,
  itemNumber: number,
  tried: ItemTry,
): Promise<void> {
  const found = await on.record.inOrganization(ref.orgId, async (tx) => {
    const item = await readOpenItem(tx, ref, itemNumber);
    return item === null ? null : { item, sources: await listSources(tx, item.versionIds) };
  });
  if (found === null) return;
  const began = performance.now();
  const end = await new ItemWork(on, ref, found.item, found.sources).run(tried);
  const milliseconds = performance.now() - began;
  const finished = await on.record.inOrganization(ref.orgId, (tx) =>
    finishItem(tx, ref, itemNumber, { ...end, milliseconds }),
  );
  if (finished) on.metrics.countItem(end.status, milliseconds / 1000);
}

/** Ends an item that no worker could do. */
export async function failItem(
  on: ExtractionDependencies,
  ref: RunRef,
  itemNumber: number,
  code: RunErrorCode,
): Promise<void> {
  const finished = await on.record.inOrganization(ref.orgId, (tx) =>
    finishItem(tx, ref, itemNumber, { ...failed(code), milliseconds: 0 }),
  );
  if (finished) on.metrics.countItem('failed', 0);
}

/** An engine was ended from outside, which says nothing of its document. */
class EngineKilled extends Error {
  constructor(itemId: string) {
    super(`the engine of item ${itemId} was killed`);
  }
}

type Ended = Omit<ItemEnd, 'milliseconds'>;

function failed(code: RunErrorCode, pages = 0): Ended {
  return { status: 'failed', parts: null, pages, warnings: [], error: runError(code) };
}

class ItemWork {
  /** What keeps the item from being complete, before the engine has looked. */
  private readonly missing: RunWarning[] = [];

  constructor(
    private readonly on: ExtractionDependencies,
    private readonly ref: RunRef,
    private readonly item: OpenItem,
    private readonly sources: readonly RunSource[],
  ) {}

  async run(tried: ItemTry): Promise<Ended> {
    const { signal } = tried;
    const readable = this.sources.filter((source) => faultOf(source) === null);
    if (readable.length === 0) return failed(this.firstFault());
    for (const versionId of this.item.versionIds) this.noteUnread(versionId);
    const engine = new EngineProcess();
    const stop = (): void => engine.end();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const place = { ...this.on, orgId: this.ref.orgId };
      let pages = 0;
      for (const source of readable) pages += await sendSource(place, engine, source, this.item.pages, signal);
      signal.throwIfAborted();
      if (pages === 0) return failed('no_pages');
      return await this.extract(engine, pages, tried);
    } finally {
      signal.removeEventListener('abort', stop);
      engine.end();
    }
  }

  private async extract(engine: EngineProcess, pages: number, { signal, number }: ItemTry): Promise<Ended> {
    const { jsonSchema: schema, minConfidence, id } = this.item;
    const outcome = await engine.extract({ schema, minConfidence }, pages, signal);
    if (outcome.kind === 'killed') {
      if (number < MOST_TRIES) throw new EngineKilled(id);
      this.on.log.error({ itemId: id, tries: number }, 'the engine was killed again and again');
      return failed('extraction_crashed', pages);
    }
    if (outcome.kind === 'failed') {
      const { code, at } = outcome;
      if (code === 'extraction_crashed') this.on.log.error({ itemId: id, at }, 'the engine ended by a fault');
      return failed(code, pages);
    }
    const { blob, parts, isComplete, warnings } = outcome.result;
    await this.on.store.put(resultKey(id), Readable.from([Buffer.from(blob)], { objectMode: false }), MAX_BLOB_BYTES);
    const status = isComplete && this.missing.length === 0 ? 'completed' : 'partial';
    return { status, parts, pages, warnings: [...this.missing, ...warnings], error: null };
  }

  private firstFault(): RunErrorCode {
    return faultOf(this.sources[0]) ?? 'internal';
  }

  /** Of a document that is read alone its own failure tells; of several each that is missing is told. */
  private noteUnread(documentVersionId: string): void {
    const source = this.sources.find(({ version_id }) => version_id === documentVersionId);
    const fault = faultOf(source);
    if (fault !== null) {
      this.missing.push({ ...runError(fault), documentVersionId });
      return;
    }
    const { first, last } = this.item.pages;
    const unread = source?.failed_pages.filter((page) => page >= first && page <= last) ?? [];
    if (unread.length === 0) return;
    const some = unread.slice(0, 20).join(', ');
    const message = `pages that could not be read: ${some}${unread.length > 20 ? ` and ${unread.length - 20} more` : ''}`;
    this.missing.push({ code: 'pages_unread', message, documentVersionId });
  }
}

/** Why a version cannot be extracted from, one that was purged too; null for one that was read, also while it is read anew. */
function faultOf(source: RunSource | undefined): RunErrorCode | null {
  if (source === undefined || source.is_deleted) return 'document_gone';
  if (source.parse_id !== null) return null;
  return ['queued', 'processing', 'indexing'].includes(source.status) ? 'timeout_waiting' : 'version_unreadable';
}
