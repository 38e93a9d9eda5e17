import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { parseJsonObject } from '../../../../src/domain/json.js';
import { DocsvcError, invalidMember } from '../../domain/errors.js';
import type { Annotations } from './annotations.dto.js';

const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 32_768;

/** What a form says of its file. */
export interface FormFields extends Annotations {
  name?: string;
}

/** A form with what became of its file. */
export interface DocumentForm<Kept> {
  fields: FormFields;
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
 * Reads a form with one part `file`, which is streamed to its keeper while it arrives, and the fields `name`, `contentType`, `metadata`
 * (JSON) and `labels` (as often as there are labels), in any order. A form that is refused leaves nothing.
 *
 * @throws DocsvcError `invalid_request` for any other form, and what `keep` throws
 */
export async function readDocumentForm<Kept>(
  { raw, headers }: FastifyRequest,
  keeper: FileKeeper<Kept>,
): Promise<DocumentForm<Kept>> {
  const reader = openReader(headers['content-type'] ?? '');
  const fields: FormFields = {};
  const files: { file: Readable; keeping: Promise<Kept> }[] = [];
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>();
  reader.on('file', (part, file, filename, _encoding, mimeType) => {
    if (part !== 'file' || files.length > 0) {
      file.resume();
      reject(invalidMember(part, 'a form has one part with a file, named file'));
      return;
    }
    fields.name ??= filename;
    fields.contentType ??= mimeType;
    const keeping = keeper.keep(file);
    keeping.catch(reject);
    files.push({ file, keeping });
  });
  reader.on('field', (name, value, _nameCut, valueCut) => {
    try {
      takeField(fields, name, value, valueCut);
    } catch (error) {
      reject(error);
    }
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
    return { fields, kept: await only.keeping };
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

function takeField(fields: FormFields, name: string, value: string, cut: boolean): void {
  if (cut) throw invalidMember(name, `is longer than ${MAX_FIELD_BYTES} bytes`);
  switch (name) {
    case 'name':
    case 'contentType':
      fields[name] = value;
      return;
    case 'labels':
      fields.labels = [...(fields.labels ?? []), value];
      return;
    case 'metadata': {
      const metadata = parseJsonObject(value);
      if (metadata === null) throw invalidMember(name, 'is not a JSON object');
      fields.metadata = metadata;
      return;
    }
    default:
      throw invalidMember(name.slice(0, 80), 'is not a field of this form');
  }
}

function unreadable(cause: unknown): DocsvcError {
  return new DocsvcError('invalid_request', 'the form cannot be read; send multipart/form-data with its boundary', {
    cause,
  });
}
