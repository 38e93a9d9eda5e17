import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRowId } from '../../../../src/domain/uuid.js';

/** Names of ours below the id of the owner. */
const NAMES = /^[a-z0-9][a-z0-9._-]{0,63}(\/[a-z0-9][a-z0-9._-]{0,63}){0,2}$/;

/** Where uploads and blobs lie below the root of the store. */
export class FsLayout {
  readonly uploads: string;
  readonly blobs: string;
  /** For blobs that are being written. */
  readonly incoming: string;

  constructor(root: string) {
    this.uploads = join(root, 'uploads');
    this.blobs = join(root, 'blobs');
    this.incoming = join(root, 'incoming');
  }

  upload(uploadId: string): string {
    return join(this.uploads, assertId(uploadId));
  }

  /** The last letters of an id are random, its first ones are the time: folders fill evenly by the last. */
  owner(ownerId: string): string {
    return join(this.blobs, assertId(ownerId).slice(-2), ownerId);
  }

  /** @throws TypeError for a key that is not made of an id and names of ours */
  blob(key: string): string {
    const slash = key.indexOf('/');
    const names = key.slice(slash + 1);
    if (slash < 0 || !NAMES.test(names)) throw new TypeError(`not a key of a blob: ${JSON.stringify(key)}`);
    return join(this.owner(key.slice(0, slash)), names);
  }
}

/** Makes a folder with those above it, and makes their names durable. */
export async function makeDurableFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o755 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

function assertId(id: string): string {
  if (!isRowId(id)) throw new TypeError(`not the id of a row: ${JSON.stringify(id)}`);
  return id;
}
