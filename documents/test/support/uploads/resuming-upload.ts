import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { pauseAfter } from '../../../../test/support/time/pause.js';
import { isUnreachable } from '../api/unreachable.js';
import type { LiveApi } from '../installation/live-api.js';

interface Opened {
  id: string;
  partSizeBytes: number;
  partCount: number;
}

interface Progress {
  receivedParts: { partNumber: number; etag: string }[];
}

const GIVE_UP_AFTER_MS = 90_000;

/**
 * Uploads a file in parts as a client does that never gives up: whatever a dead API keeps from it is asked again, and only what is missing is
 * sent.
 *
 * @param onPart told of each part that was taken, and of the completion that follows the last one
 */
export async function uploadResuming(
  api: LiveApi,
  projectId: string,
  { name, bytes }: { name: string; bytes: Buffer },
  onPart: (sent: number) => void,
): Promise<{ versionId: string; partsSent: number }> {
  const key = `upload-${name}`;
  const body = JSON.stringify({ name, sizeBytes: bytes.length });
  const begin = { method: 'POST', body, headers: { 'idempotency-key': key } };
  const opened = await insist(() => api.ask<Opened>(`/api/projects/${projectId}/uploads`, begin));
  let sent = 0;
  for (let missing = range(opened.partCount); missing.length > 0;) {
    const [part = 0] = missing;
    const from = (part - 1) * opened.partSizeBytes;
    const taken = await sendPart(api, opened.id, part, bytes.subarray(from, from + opened.partSizeBytes));
    if (taken) onPart((sent += 1));
    const progress = await insist(() => api.ask<Progress>(`/api/uploads/${opened.id}`));
    const received = new Set(progress.receivedParts.map(({ partNumber }) => partNumber));
    missing = range(opened.partCount).filter((number) => !received.has(number));
  }
  const complete = { method: 'POST', body: '{}' };
  const made = await insist(() => api.ask<{ version: { id: string } }>(`/api/uploads/${opened.id}/complete`, complete));
  return { versionId: made.version.id, partsSent: sent };
}

async function sendPart(api: LiveApi, uploadId: string, part: number, bytes: Buffer): Promise<boolean> {
  const sign = { method: 'POST', body: JSON.stringify({ partNumbers: [part] }) };
  const [signed] = await insist(() => api.ask<{ url: string }[]>(`/api/uploads/${uploadId}/parts`, sign));
  try {
    // As they are: `fetch` would copy them several times.
    const { statusCode, body } = await request(signed?.url ?? '', { method: 'PUT', body: bytes });
    await body.dump();
    return statusCode < 300;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return false;
  }
}

/** Asks until there is an answer of success; the API may be dead, or starting. */
async function insist<B>(ask: () => Promise<{ status: number; body: B }>): Promise<B> {
  for (const begun = Date.now(); ; await delay(pauseAfter(Date.now() - begun, 50))) {
    const answer = await ask().catch((error: unknown) => {
      if (isUnreachable(error)) return undefined;
      throw error;
    });
    if (answer !== undefined && answer.status < 300) return answer.body;
    const isLate = Date.now() - begun > GIVE_UP_AFTER_MS;
    if (isLate || (answer !== undefined && answer.status < 500 && answer.status !== 409))
      throw new Error(`the upload was answered ${answer?.status}: ${JSON.stringify(answer?.body)}`);
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
