import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- a program of the sandbox, whose only way leads to the runner plane
import { request, type IncomingMessage } from 'node:http';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- as above
import { request as requestSecurely } from 'node:https';
import { text } from 'node:stream/consumers';
import { SandgateError } from '../../../domain/errors.js';

const CONNECT_MS = 10_000;
const READ_MS = 60_000;
const MAX_REASON_LENGTH = 300;

export interface FetchedArchive {
  url: URL;
  /** Of the audience `workspace`. */
  token: string;
  /** `sha256:<hex>` and length of exactly what must arrive. */
  digest: string;
  bytes: number;
}

/**
 * Fetches the packed workspace of a run into a new file. Its length is judged before its digest, and both before anything is made of it. No
 * redirect is followed.
 *
 * @param limits longest time to connect, and between two reads, in milliseconds
 * @throws SandgateError `upstream_failed` with the reason
 */
export async function fetchArchive(
  { url, token, digest, bytes }: FetchedArchive,
  path: string,
  limits = { connectMs: CONNECT_MS, readMs: READ_MS },
): Promise<void> {
  const response = await ask(url, token, limits);
  if (response.statusCode !== 200) throw failed(`the control plane answered ${await describe(response)}`);
  await using file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let read = 0;
  const silence = setTimeout(() => response.destroy(failed(`nothing came for ${limits.readMs} ms`)), limits.readMs);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      silence.refresh();
      read += chunk.length;
      if (read > bytes) throw failed(`more than ${bytes} bytes came`);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  } catch (error) {
    throw error instanceof SandgateError ? error : failed(`the answer broke off after ${read} bytes`, error);
  } finally {
    clearTimeout(silence);
    response.destroy();
  }
  if (read !== bytes) throw failed(`${read} bytes came instead of ${bytes}`);
  if (`sha256:${hash.digest('hex')}` !== digest) throw failed('what came has another digest');
}

async function ask(url: URL, token: string, limits: { connectMs: number; readMs: number }): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestSecurely : request;
  const asked = send(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  const wait = { timer: setTimeout(() => end(`no connection within ${limits.connectMs} ms`), limits.connectMs) };
  const end = (reason: string): void => void asked.destroy(failed(reason));
  asked.once('socket', (socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clearTimeout(wait.timer);
      wait.timer = setTimeout(() => end(`no answer within ${limits.readMs} ms`), limits.readMs);
    });
  });
  asked.end();
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    // Whoever reads the answer is told.
    asked.on('error', (error) => response.destroy(error));
    return response;
  } catch (error) {
    throw error instanceof SandgateError ? error : failed('the control plane cannot be reached', error);
  } finally {
    clearTimeout(wait.timer);
  }
}

async function describe(response: IncomingMessage): Promise<string> {
  const silence = setTimeout(() => response.destroy(), CONNECT_MS);
  try {
    const said = await text(response);
    return `${response.statusCode} ${said.slice(0, MAX_REASON_LENGTH)}`;
  } catch {
    return String(response.statusCode);
  } finally {
    clearTimeout(silence);
  }
}

function failed(reason: string, cause?: unknown): SandgateError {
  return new SandgateError('upstream_failed', `the workspace could not be fetched: ${reason}`, { cause });
}
