import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atMost, type RowFindings } from '../../../../test/bench/row.js';
import { StartedDocsvc } from '../../support/installation/started-docsvc.js';
import { median } from '../reading/jailed-reading.js';
import { joinPdfs } from '../reading/joined-file.js';
import { readBare } from '../reading/readers.js';
import { residentTreeMib, TreeMemory } from '../reading/resident-tree.js';
import { sendParts } from '../uploads/send-parts.js';
import { makeProject, UploadSession } from '../uploads/upload-session.js';

const TIMED_PAGES = 500;
/** The file whose memory is looked at. */
const LARGE_PAGES = 1000;
const ROUNDS = 3;
const POLL_MS = 200;
const PATIENCE_MS = 300_000;
/** Smallest size of a part; the size of a file that goes in one part is rounded up to it. */
const PART_STEP = 8 * 1024 ** 2;

interface ReadDocument {
  status: string;
  pageCount: number | null;
}

/**
 * A PDF of five hundred pages is uploaded to an installation of its own: how long it takes from the completed upload until the document
 * is ready. Each round has other bytes, because equal ones are not read again. And what worker and jail hold together while they read a
 * file of a thousand pages, once without recognizing pictures and once with it.
 *
 * @param timedPages fewer than five hundred only to see that the row works
 * @throws Error without a folder of PDFs, or when a file does not become ready
 */
export async function measureIngest(folder: string | undefined, timedPages = TIMED_PAGES): Promise<RowFindings> {
  if (folder === undefined) throw new Error('ingest needs the folder of the PDFs that are read');
  const work = mkdtempSync(join(tmpdir(), 'docsvc-bench-'));
  try {
    const timed = joinPdfs(folder, timedPages, join(work, 'timed.pdf'));
    const large = joinPdfs(folder, (timedPages * LARGE_PAGES) / TIMED_PAGES, join(work, 'large.pdf'));
    const docsvc = await StartedDocsvc.start(join(work, 'installation'));
    try {
      return await measureOn(docsvc, timed, large);
    } finally {
      await docsvc.stop();
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

interface Joined {
  file: string;
  pages: number;
}

async function measureOn(docsvc: StartedDocsvc, timed: Joined, large: Joined): Promise<RowFindings> {
  const projectId = await makeProject(docsvc);
  const [own, bare]: [number[], number[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    own.push(await untilReady(docsvc, projectId, timed, round));
    bare.push((await readBare(timed.file)).milliseconds / 1000);
    process.stderr.write(`bench: round ${round}: ${timed.pages} pages ready after ${own.at(-1)?.toFixed(1)} s\n`);
  }
  const worker = docsvc.pidOf('worker');
  const idle = residentTreeMib(worker);
  const withoutRecognition = await makeProject(docsvc, { ocrMode: 'off' });
  const text = await memoryOf(worker, () => untilReady(docsvc, withoutRecognition, large, ROUNDS + 1));
  const all = await memoryOf(worker, () => untilReady(docsvc, projectId, large, ROUNDS + 2));
  const seconds = median(own);
  return {
    values: {
      seconds,
      pages: timed.pages,
      memory: text.mostMib,
      memory_of_worker: text.ofRootMib,
      memory_with_recognition: all.mostMib,
      memory_pages: large.pages,
    },
    unit: {
      seconds: 's',
      pages: 'pages',
      memory: 'MiB',
      memory_of_worker: 'MiB',
      memory_with_recognition: 'MiB',
      memory_pages: 'pages',
    },
    baseline: { liteparse_seconds: median(bare), idle_memory: idle },
    targets: [
      atMost('completed upload → ready', seconds, 15, 's'),
      atMost('worker and jail together, text alone', text.mostMib, 400, 'MiB'),
    ],
    notes: [
      `median of ${ROUNDS} rounds with different bytes; the state is asked for every ${POLL_MS} ms`,
      'one installation with its database, Temporal and API on the same machine; pages that are pictures are recognized, which liteparse alone does not do',
      'memory is that of the worker and of all that it starts, shared pages in parts; the share of the worker process is that at the same moment',
    ],
  };
}

async function memoryOf(worker: number, work: () => Promise<number>): Promise<TreeMemory> {
  using memory = new TreeMemory(worker);
  await work();
  return memory;
}

/** @returns seconds from the answer to the completion until the document is ready */
async function untilReady(
  docsvc: StartedDocsvc,
  projectId: string,
  { file, pages }: Joined,
  round: number,
): Promise<number> {
  const bytes = new Uint8Array(Buffer.concat([readFileSync(file), Buffer.from(`\n% round ${round}\n`)]));
  const partBytes = Math.ceil(bytes.length / PART_STEP) * PART_STEP;
  const session = await UploadSession.open(docsvc, projectId, bytes.length, partBytes, 'pdf');
  await sendParts(await session.parts(), bytes);
  const documentId = await session.complete();
  const begun = performance.now();
  while (performance.now() - begun < PATIENCE_MS) {
    const document = (await (await docsvc.request(`/api/documents/${documentId}`)).json()) as ReadDocument;
    const seconds = (performance.now() - begun) / 1000;
    if (document.status === 'ready') {
      if (document.pageCount === pages) return seconds;
      throw new Error(`${String(document.pageCount)} of ${pages} pages are ready`);
    }
    if (ENDED.has(document.status)) throw new Error(`the document became ${document.status}:\n${docsvc.logs}`);
    await delay(POLL_MS);
  }
  throw new Error(`the document was not ready after ${PATIENCE_MS / 1000} s:\n${docsvc.logs}`);
}

const ENDED = new Set(['partial', 'stored', 'failed', 'quarantined']);
