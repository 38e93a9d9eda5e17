import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * The key of a run over these bytes with this schema: whoever asks for the same again finds the run that there is. Neither the order of the
 * files matters nor what they are called.
 *
 * @param digests SHA-256 of each file, in hexadecimal
 * @param schema the digest of its version
 * @param asked what else the result depends on
 */
export function externalIdOf(digests: readonly string[], schema: string, asked: object): string {
  const said = JSON.stringify({ files: digests.toSorted(), schema, ...asked });
  return `extract-${createHash('sha256').update(said).digest('hex')}`;
}

/** SHA-256 of each file, in hexadecimal. */
export async function digestFiles(files: readonly string[]): Promise<string[]> {
  const digests: string[] = [];
  for (const file of files) digests.push(await digestFile(file));
  return digests;
}

async function digestFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
