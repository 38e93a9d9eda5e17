import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atLeast, type RowFindings } from '../../../../test/bench/row.js';
import { StartedDocsvc } from '../../support/installation/started-docsvc.js';
import { sendParts } from '../uploads/send-parts.js';
import { makeProject, UploadSession } from '../uploads/upload-session.js';
import { installPeer, versionOf } from './installed-peers.js';

const MB = 1_000_000;
const MIB = 1024 ** 2;
const PART_BYTES = 64 * MIB;
const SERVER = fileURLToPath(new URL('../servers/tus-upload.js', import.meta.url));
const TUS = { 'tus-resumable': '1.0.0' };

/**
 * One file to the API, in parts, and to a server of tus, in pieces of the same size, on the same disk: tus before and after, because the
 * disk is shared with others. tus takes the pieces of a file one after the other; ours takes parts at once, and is measured both ways.
 *
 * @throws Error when the peer cannot be installed
 */
export async function compareUploads(mib: number): Promise<RowFindings> {
  const packages = installPeer('tus');
  const folder = mkdtempSync(join(tmpdir(), 'docsvc-bench-'));
  const source = new Uint8Array(randomBytes(PART_BYTES));
  const docsvc = await StartedDocsvc.start(folder);
  try {
    const projectId = await makeProject(docsvc);
    const before = await sendToTus(packages, join(folder, 'tus'), mib * MIB, source);
    const single = await sendToDocsvc(docsvc, projectId, mib * MIB, source, 1);
    const several = await sendToDocsvc(docsvc, projectId, mib * MIB, source);
    const after = await sendToTus(packages, join(folder, 'tus'), mib * MIB, source);
    const theirs = (before + after) / 2;
    return {
      values: {
        upload_mb_per_second: several / MB,
        one_at_once_mb_per_second: single / MB,
        times: several / theirs,
        times_one_at_once: single / theirs,
      },
      unit: { upload_mb_per_second: 'MB/s', one_at_once_mb_per_second: 'MB/s', times: '×', times_one_at_once: '×' },
      baseline: { tus_before_mb_per_second: before / MB, tus_after_mb_per_second: after / MB },
      targets: [atLeast('parts, four at once, beside theirs', several / theirs, 1, '×')],
      notes: [
        `${versionOf('tus')}, which neither hashes nor waits for the disk; ours does both with every part`,
        `${mib} MiB in pieces of ${PART_BYTES / MIB} MiB; sender, servers and disk share one machine`,
      ],
    };
  } finally {
    await docsvc.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns bytes in a second */
async function sendToDocsvc(
  docsvc: StartedDocsvc,
  projectId: string,
  sizeBytes: number,
  source: Uint8Array<ArrayBuffer>,
  atOnce?: number,
): Promise<number> {
  const session = await UploadSession.open(docsvc, projectId, sizeBytes, PART_BYTES);
  const rate = await sendParts(await session.parts(), source, undefined, atOnce);
  await session.abort();
  return rate;
}

/** @returns bytes in a second */
async function sendToTus(
  packages: string,
  directory: string,
  sizeBytes: number,
  source: Uint8Array<ArrayBuffer>,
): Promise<number> {
  mkdirSync(directory);
  const server = fork(SERVER, [JSON.stringify({ packages, directory })]);
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const headers = { ...TUS, 'upload-length': String(sizeBytes) };
    const created = await fetch(`http://127.0.0.1:${port}/files`, { method: 'POST', headers });
    const url = created.headers.get('location');
    if (created.status !== 201 || url === null) throw new Error(`tus made no upload: ${await created.text()}`);
    const started = performance.now();
    for (let at = 0; at < sizeBytes; at += PART_BYTES)
      await sendPiece(url, at, source.subarray(0, Math.min(PART_BYTES, sizeBytes - at)));
    return (sizeBytes * 1000) / (performance.now() - started);
  } finally {
    server.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

async function sendPiece(url: string, at: number, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const type = { 'content-type': 'application/offset+octet-stream' };
  const answer = await fetch(url, { method: 'PATCH', headers: { ...TUS, ...type, 'upload-offset': String(at) }, body });
  const said = await answer.text();
  if (answer.status !== 204 || answer.headers.get('upload-offset') !== String(at + body.length))
    throw new Error(`tus refused a piece: ${answer.status} ${said}`);
}
