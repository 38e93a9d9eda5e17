import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { SandgateError } from '../../../domain/errors.js';
import { extractArchive, type ArchiveReport } from '../../archive/extract.js';
import { FolderTarget } from '../../archive/folder-target.js';
import { uploadRules } from './upload-rules.js';

/** What the control plane asks of the unpacker; a JSON file named by the only argument. */
export interface UnpackRequest {
  archive: string;
  /** `sha256:<hex>` and length of the archive as it was received. */
  digest: string;
  bytes: number;
  /** Existing, empty folder. */
  root: string;
}

/** What it prints. */
export type UnpackAnswer = { report: ArchiveReport } | { refused: { code: SandgateError['code']; message: string } };

/**
 * Unpacks what a client sent: a program of its own, run in a confinement of its own as the user whom the files then belong to. The archive
 * must be exactly the one that was received.
 */
async function unpack(request: UnpackRequest): Promise<UnpackAnswer> {
  try {
    await verify(request);
    process.umask(0o022);
    process.chdir(request.root);
    const source = createReadStream(request.archive) as AsyncIterable<Buffer>;
    return { report: await extractArchive(source, new FolderTarget(), uploadRules(request.bytes)) };
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    return { refused: { code: error.code, message: error.message } };
  }
}

async function verify({ archive, digest, bytes }: UnpackRequest): Promise<void> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of createReadStream(archive, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    read += chunk.length;
  }
  if (read === bytes && `sha256:${hash.digest('hex')}` === digest) return;
  throw new SandgateError('invalid_request', 'the uploaded files of this run are not those that were received');
}

const request = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as UnpackRequest;
process.stdout.write(JSON.stringify(await unpack(request)));
