import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { serve, settings } from '../../../../test/bench/servers/report-port.js';

/** A bare route: it writes the body at its offset of one file, hashes it on the way, and answers once it is durable. */
const { path, sizeBytes } = settings<{ path: string; sizeBytes: number }>();
const file = await open(path, 'w');
await file.truncate(sizeBytes);

serve(
  createServer((request, response) => {
    receive(request).then(
      (digest) => response.end(digest),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }),
);

async function receive(request: IncomingMessage): Promise<string> {
  const hash = createHash('sha256');
  let at = Number(request.url?.slice(1));
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk);
    at += (await file.write(chunk, 0, chunk.length, at)).bytesWritten;
  }
  await file.datasync();
  return hash.digest('hex');
}
