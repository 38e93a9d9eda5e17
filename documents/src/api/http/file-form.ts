import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { DocsvcError, invalidMember } from '../../domain/errors.js';

const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 32_768;
const MAX_NAME_SHOWN = 80;

/** A form with what became of its file. */
export interface FileForm<Kept> {
  /** What its fields say, in the order in which they came, by name. */
  fields: ReadonlyMap<string, readonly string[]>;
  /** What the part with the file says of it. */
  filename: string | undefined;
  mimeType: string | undefined;
  kept: Kept;
}

/** What becomes of a file while it arrives. */
export interface FileKeeper<Kept> {
  keep(file: Readable): Promise<Kept>;
  /** Of what was kept before the form was refused. */
  drop(kept: Kept): Promise<void>;
}

/** Whether a request brings a form. */
export function bringsForm({ headers }: FastifyRequest): boolean {
  return /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/**
 * Reads a form with one part `file`, which is streamed to its keeper while it arrives, and fields, in any order. A form that is refused leaves
 * nothing.
 *
 * @throws DocsvcError `invalid_request` for any other form, and what `keep` throws
 */
export async function readFileForm<Kept>(
  { raw, headers }: FastifyRequest,
  keeper: FileKeeper<Kept>,
): Promise<FileForm<Kept>> {
  const reader = openReader(headers['content-type'] ?? '');
  const fields = new Map<string, string[]>();
  const files: { file: Readable; keeping: Promise<Kept>; filename: string; mimeType: string }[] = [];
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>();
  reader.on('file', (part, file, filename, _encoding, mimeType) => {
    if (part !== 'file' || files.length > 0) {
      file.resume();
      reject(invalidMember(part, 'a form has one part with a file, named file'));
      return;
    }
    const keeping = keeper.keep(file);
    keeping.catch(reject);
    files.push({ file, keeping, filename, mimeType });
  });
  reader.on('field', (name, value, _nameCut, valueCut) => {
    if (valueCut) reject(invalidMember(name.slice(0, MAX_NAME_SHOWN), `is longer than ${MAX_FIELD_BYTES} bytes`));
    else fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  reader.on('finish', resolve);
  reader.on('error', (cause) => reject(unreadable(cause)));
  raw.once('close', () => {
    if (!raw.complete) reject(new DocsvcError('invalid_request', 'the form broke off: its sender hung up'));
  });
  raw.pipe(reader);
  try {
    await whole;
    const [only] = files;
    if (only === undefined) throw invalidMember('file', 'the form has no part named file');
    const { keeping, filename, mimeType } = only;
    return { fields, filename, mimeType, kept: await keeping };
  } catch (error) {
    for (const { file, keeping } of files) {
      file.destroy();
      const kept = await keeping.catch(() => undefined);
      if (kept !== undefined) await keeper.drop(kept);
    }
    throw error;
  } finally {
    raw.unpipe(reader);
  }
}

function openReader(contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, fieldNameSize: 100 },
    });
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** The digest of what a form says, whatever the order of its fields and the boundary between its parts. */
export function digestOfForm({ fields, filename, mimeType }: Omit<FileForm<unknown>, 'kept'>, sha256: Buffer): Buffer {
  const said = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([said, filename ?? null, mimeType ?? null]))
    .update(sha256)
    .digest();
}

/** The one value of a field, the last where there are several. */
export function fieldOf({ fields }: Pick<FileForm<unknown>, 'fields'>, name: string): string | undefined {
  return fields.get(name)?.at(-1);
}

/** @throws DocsvcError `invalid_request` for a form with other fields */
export function refuseOtherFields({ fields }: Pick<FileForm<unknown>, 'fields'>, known: readonly string[]): void {
  for (const name of fields.keys()) {
    if (!known.includes(name)) throw invalidMember(name.slice(0, MAX_NAME_SHOWN), 'is not a field of this form');
  }
}

function unreadable(cause: unknown): DocsvcError {
  return new DocsvcError('invalid_request', 'the form cannot be read; send multipart/form-data with its boundary', {
    cause,
  });
}
