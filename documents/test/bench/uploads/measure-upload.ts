import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import { atLeast, atMost, type RowFindings } from '../../../../test/bench/row.js';
import { StartedDocsvc } from '../../support/installation/started-docsvc.js';
import { Random } from '../search/random.js';
import { sendParts } from './send-parts.js';
import { makeProject, UploadSession } from './upload-session.js';

const MB = 1_000_000;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const PART_BYTES = 64 * MIB;
/** The bare route before and after; half of its parts each time. */
const BARE_BYTES = 2 * GIB;
/** What is sent before memory counts, so that buffers and compiled code are there. */
const WARM_BYTES = 256 * MIB;
const SPARSE_GIB = 64;
const DRAWN_PARTS = 50;
const SEED = 11;

/**
 * One file in parts of 64 MiB, four at once, beside a bare route that writes and hashes the same parts on the same disk, before and after;
 * the memory of the API meanwhile; and a session of 64 GiB that takes few of its parts.
 *
 * @param gib size of the file
 */
export async function measureUpload(gib: number): Promise<RowFindings> {
  const folder = mkdtempSync(join(tmpdir(), 'docsvc-bench-'));
  const source = new Uint8Array(randomBytes(PART_BYTES));
  const docsvc = await StartedDocsvc.start(folder);
  try {
    const projectId = await makeProject(docsvc);
    const before = await measureBare(folder, source);
    const session = await UploadSession.open(docsvc, projectId, gib * GIB, PART_BYTES);
    const memory = new MemoryOf(docsvc.pidOf('api'));
    const rate = await sendParts(await session.parts(), source, (sent) => memory.look(sent >= WARM_BYTES));
    await session.abort();
    const after = await measureBare(folder, source);
    const sparse = await measureSparse(docsvc, projectId, source, folder);
    const bare = (before + after) / 2;
    return {
      values: {
        upload_mb_per_second: rate / MB,
        share_of_bare: rate / bare,
        api_memory_growth_mb: memory.growthBytes / MB,
        sparse_parts_taken: sparse.taken,
        sparse_file_mb: sparse.allocatedBytes / MB,
      },
      unit: { upload_mb_per_second: 'MB/s', api_memory_growth_mb: 'MB', sparse_file_mb: 'MB' },
      baseline: { bare_before_mb_per_second: before / MB, bare_after_mb_per_second: after / MB },
      targets: [
        atLeast('upload beside a bare route that writes and hashes', rate / bare, 0.6, 'times'),
        atMost('memory of the API while it takes the file', memory.growthBytes / MB, 100, 'MB'),
        atLeast('parts that the 64 GiB session took', sparse.taken, DRAWN_PARTS + 2, 'parts'),
        atMost(
          'room of the sparse file beyond what was sent',
          (sparse.allocatedBytes - sparse.sentBytes) / MB,
          64,
          'MB',
        ),
      ],
      notes: [`${gib} GiB were sent whole`, 'sender, API, bare route and disk share one machine'],
    };
  } finally {
    await docsvc.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns bytes in a second */
async function measureBare(folder: string, source: Uint8Array<ArrayBuffer>): Promise<number> {
  const path = join(folder, 'bare');
  const program = fileURLToPath(new URL('../servers/bare-upload.js', import.meta.url));
  const server = fork(program, [JSON.stringify({ path, sizeBytes: BARE_BYTES })]);
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  try {
    const parts = Array.from({ length: BARE_BYTES / PART_BYTES }, (_, at) => ({
      url: `http://127.0.0.1:${port}/${at * PART_BYTES}`,
      bytes: PART_BYTES,
    }));
    return await sendParts(parts, source);
  } finally {
    server.disconnect();
    await once(server, 'exit');
    rmSync(path, { force: true });
  }
}

/** The first part, the last one, and some that are drawn. */
async function measureSparse(
  docsvc: StartedDocsvc,
  projectId: string,
  source: Uint8Array<ArrayBuffer>,
  folder: string,
) {
  const session = await UploadSession.open(docsvc, projectId, SPARSE_GIB * GIB, PART_BYTES);
  const random = new Random(SEED);
  const { partCount, id } = session.opened;
  const numbers = new Set([1, partCount]);
  while (numbers.size < DRAWN_PARTS + 2) numbers.add(1 + random.below(partCount));
  const parts = await session.parts([...numbers]);
  await sendParts(parts, source);
  const allocatedBytes = statSync(join(folder, 'blobs', 'uploads', id)).blocks * 512;
  const taken = await session.received();
  await session.abort();
  return { taken, allocatedBytes, sentBytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** What a process holds of memory, from the moment at which it counts. */
class MemoryOf {
  private from: number | undefined;
  growthBytes = 0;

  constructor(private readonly pid: number) {}

  look(counts: boolean): void {
    if (!counts) return;
    const now = this.residentBytes();
    this.from ??= now;
    this.growthBytes = Math.max(this.growthBytes, Math.abs(now - this.from));
  }

  private residentBytes(): number {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1];
    return Number(kib) * 1024;
  }
}
