import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { isSystemError } from '../../../src/domain/system-error.js';
import {
  identifyProcess,
  killProcess,
  listDescendants,
  type ProcessIdentity,
} from '../../../src/platform/host/process-identity.js';
import { INSIDE } from '../../src/platform/parsing/parser-protocol.js';
import { makePdf } from '../support/documents/make-pdf.js';
import { wake } from '../../src/core/driver/wake.js';
import { appendEvent } from '../../src/core/events/append-event.js';
import { workflowNameOf } from '../../src/core/extractions/wake-extraction.js';
import { originalKey } from '../../src/platform/blobs/blob-store.js';
import { plantVersion } from '../support/documents/plant-version.js';
import { LiveExtractions } from '../support/extractions/live-extractions.js';
import { LiveApi } from '../support/installation/live-api.js';
import { LivePipeline } from '../support/installation/live-pipeline.js';
import { EventReceiver } from '../support/webhooks/event-receiver.js';

export const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Records a history of every path of the workflows, from a worker as it is delivered. To be done when a path is added or a release is
 * cut, never to silence a replay that fails: that failure says that a live version would be lost.
 */
export async function recordHistories(): Promise<void> {
  mkdirSync(HISTORIES, { recursive: true });
  const live = await LivePipeline.start({ DOCSVC_EGRESS_ALLOW_CIDRS: '127.0.0.0/8' });
  try {
    for (const [name, bytes, declared] of [
      ['ready', Buffer.from('One line that is read.\n')],
      ['stored', randomBytes(5000)],
      ['hashed', Buffer.alloc(65 * 1024 * 1024, 7)],
      ['failed', Buffer.from('these bytes'), randomBytes(32)],
    ] as const) {
      const { versionId } = await live.upload(`${name}.txt`, bytes, declared === undefined ? {} : { declared });
      await live.untilTerminal(versionId);
      await save(live, `ingest-${name}`, `ingest/${versionId}`);
      if (name === 'ready') await save(live, 'page-batch', await batchOf(live, versionId));
    }
    const blank = sharp({ create: { width: 400, height: 300, channels: 3, background: 'white' } });
    const scan = await live.upload('scan.png', await blank.png().toBuffer());
    await live.untilTerminal(scan.versionId);
    await save(live, 'page-recognized', await batchOf(live, scan.versionId));
    await recordKilledParsers(live);
    await save(live, 'relay', 'relay');
    await recordDelivery(live);
    await recordRuns(live);
    for (const duty of ['wakeMissing', 'reapUploads', 'reconcileQuotas', 'sweepRetention']) {
      const workflowId = `recorded-${duty}`;
      await live.temporal.client.workflow.execute(duty, { workflowId, taskQueue: 'docsvc-ingest' });
      await save(live, `duty-${duty}`, workflowId);
    }
  } finally {
    await live.stop();
  }
}

/** A batch that is read in halves once its parser has died, and a page that fails because its parser dies whenever it reads it. */
async function recordKilledParsers(live: LivePipeline): Promise<void> {
  const page = Array.from({ length: 25 }, (_, line) => `line ${line}: the pilot boards at the outer buoy.`);
  for (const [name, pages, deaths] of [
    ['halved', 50, 1],
    ['failed', 1, Infinity],
  ] as const) {
    const bytes = await makePdf(Array.from({ length: pages }, () => page));
    const { versionId } = await live.upload(`${name}.pdf`, bytes);
    const killed = await killReaders(live, versionId, deaths);
    if (killed === 0) throw new Error('no parser was killed');
    await save(live, `page-batch-${name}`, await batchOf(live, versionId));
  }
}

/** Kills programs that read pages of a version, as the limits of the jail do, until it has ended. @returns how many it killed */
async function killReaders(live: LivePipeline, versionId: string, most: number): Promise<number> {
  const killed = new Set<number>();
  return live.until(`version ${versionId} to end`, 60_000, async () => {
    const { status, stage } = await live.version(versionId);
    if (!['queued', 'processing', 'indexing'].includes(status)) return killed.size;
    const readers = stage === 'parse' ? listDescendants(live.workerPid).flatMap(identifyReader) : [];
    for (const reader of readers) if (killed.size < most && killProcess(reader)) killed.add(reader.pid);
    return undefined;
  });
}

/** A program in the jail that reads PDFs; none for any other process. */
function identifyReader(pid: number): ProcessIdentity[] {
  const identity = identifyProcess(pid);
  if (identity === undefined) return [];
  const [program = '', ...words] = commandOf(pid);
  return program === INSIDE.node && words.some((word) => word.endsWith('/pdf.mjs')) ? [identity] : [];
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ESRCH')) return [];
    throw error;
  }
}

/** A delivery whose first attempt fails and whose second one arrives. */
async function recordDelivery(live: LivePipeline): Promise<void> {
  const [receiver, api] = await Promise.all([EventReceiver.start(), LiveApi.start(live)]);
  try {
    const { orgId, projectId } = live.org;
    receiver.answering = (index) => ({ status: index === 0 ? 500 : 204 });
    const retry = { strategy: 'fixed', maxAttempts: 2, initialSeconds: 1 };
    const body = JSON.stringify({ url: receiver.url, events: ['document.deleted'], retry });
    await api.ask(`/api/projects/${projectId}/webhooks`, { method: 'POST', body });
    const event = { type: 'document.deleted', projectId, data: { status: 'deleted', links: {} } };
    await live.test.record.inOrganization(orgId, (tx) => appendEvent(tx, event));
    await receiver.untilReceived(2);
    const { rows } = await live.test.owner.query<{ id: string }>('select id from deliveries');
    await save(live, 'delivery', `deliver/${rows[0]?.id}`);
  } finally {
    await api.kill();
    await receiver.close();
  }
}

/** Runs of extraction: one that waits for its document, one with a document that cannot be read, and one that is cancelled. */
async function recordRuns(live: LivePipeline): Promise<void> {
  const api = await LiveApi.start(live);
  try {
    const runs = await LiveExtractions.open(live, api);
    const text = Buffer.from('Pilot Jansen\n');
    const late = await plantVersion(live.test.owner, live.org, { name: 'late.txt', sizeBytes: text.length });
    await live.store.put(originalKey(late.versionId), Readable.from([text], { objectMode: false }), text.length);
    const waited = await runs.start('waited', { documentVersionIds: [late.versionId] });
    await live.until('the run to wait', 60_000, async () =>
      (await runs.read(waited.id)).status === 'waiting' ? true : undefined,
    );
    await live.test.record.inOrganization(live.org.orgId, (tx) => wake(tx, 'ingest', late.versionId));
    await saveRun(live, runs, 'extraction-waited', waited.id);
    const noise = await live.upload('noise.bin', randomBytes(2000));
    await live.untilTerminal(noise.versionId);
    const partial = await runs.start('partial', { documentVersionIds: [late.versionId, noise.versionId] });
    await saveRun(live, runs, 'extraction-partial', partial.id);
    const many = Array.from({ length: 30 }, (_, at) => live.upload(`many-${at}.txt`, Buffer.from(`Pilot ${at}\n`)));
    const versions = (await Promise.all(many)).map(({ versionId }) => versionId);
    for (const versionId of versions) await live.untilTerminal(versionId);
    const cancelled = await runs.start('cancelled', { documentVersionIds: versions });
    await live.until('the first document', 60_000, async () =>
      (await runs.read(cancelled.id)).progress.itemsDone > 0 ? true : undefined,
    );
    await runs.cancel(cancelled.id);
    await saveRun(live, runs, 'extraction-cancelled', cancelled.id);
  } finally {
    await api.kill();
  }
}

async function saveRun(live: LivePipeline, runs: LiveExtractions, name: string, id: string): Promise<void> {
  const { externalId } = await runs.untilEnded(id);
  await save(live, name, `extract/${workflowNameOf({ projectId: live.org.projectId, externalId })}`);
}

/** The id of the child that read the pages of a version. */
async function batchOf({ temporal }: LivePipeline, versionId: string): Promise<string> {
  const { events } = await temporal.client.workflow.getHandle(`ingest/${versionId}`).fetchHistory();
  const started = events?.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes != null);
  const id = started?.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
  if (id == null) throw new Error(`version ${versionId} was read without a batch of pages`);
  return id;
}

/** Saves a history without what belongs to the machine that it was recorded on. */
async function save({ temporal }: LivePipeline, name: string, workflowId: string): Promise<void> {
  const handle = temporal.client.workflow.getHandle(workflowId);
  // That one never ends.
  if (workflowId !== 'relay') await handle.result();
  const text = historyToJSON(await handle.fetchHistory())
    .replaceAll(hostname(), 'recorder')
    .replaceAll(ROOT, '/srv/sandgate/');
  const events: unknown = JSON.parse(text, (key, value: unknown) => (key === 'identity' ? 'recorder' : value));
  writeFileSync(`${HISTORIES}${name}.json`, `${JSON.stringify(events, null, 1)}\n`);
}
