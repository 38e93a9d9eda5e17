import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atMost, type RowFindings } from '../../../../test/bench/row.js';
import { StartedDocsvc } from '../../support/installation/started-docsvc.js';
import { sendParts } from '../uploads/send-parts.js';
import { makeProject, post, UploadSession } from '../uploads/upload-session.js';

const BYTES = 1024;
const PATIENCE_MS = 60_000;

/**
 * How long a receiver waits for the first attempt after the API answered that a document is there; one document after the other.
 *
 * @param samples documents
 */
export async function measureWebhook(samples: number): Promise<RowFindings> {
  const folder = mkdtempSync(join(tmpdir(), 'docsvc-bench-'));
  const docsvc = await StartedDocsvc.start(folder, { DOCSVC_EGRESS_ALLOW_CIDRS: '127.0.0.0/8' });
  let arrivedAt: number | null = null;
  const receiver = createServer((request, response) => {
    arrivedAt ??= performance.now();
    request.resume().once('end', () => response.end('taken'));
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const projectId = await makeProject(docsvc);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await post(docsvc, `/api/projects/${projectId}/webhooks`, { url, events: ['document.uploaded'] }, 201);
    const waits: number[] = [];
    for (let sample = 0; sample < samples; sample += 1) {
      const session = await UploadSession.open(docsvc, projectId, BYTES);
      await sendParts(await session.parts(), new Uint8Array(BYTES).fill(0x61));
      arrivedAt = null;
      await session.complete();
      const answeredAt = performance.now();
      while (arrivedAt === null && performance.now() - answeredAt < PATIENCE_MS) await delay(2);
      waits.push(Math.max(0, (arrivedAt ?? Infinity) - answeredAt));
    }
    waits.sort((one, other) => one - other);
    const at = (share: number): number => waits[Math.ceil(share * waits.length) - 1] ?? Infinity;
    return {
      values: { p50_ms: at(0.5), p95_ms: at(0.95), max_ms: at(1) },
      unit: { p50_ms: 'ms', p95_ms: 'ms', max_ms: 'ms' },
      baseline: {},
      targets: [atMost('p95 of the first attempt', at(0.95), 1000, 'ms')],
      notes: [`${samples} documents, one after the other; each is read by the worker meanwhile`],
    };
  } finally {
    receiver.closeAllConnections();
    receiver.close();
    await docsvc.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
