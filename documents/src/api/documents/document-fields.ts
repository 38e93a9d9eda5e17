import { parseJsonObject } from '../../../../src/domain/json.js';
import { invalidMember } from '../../domain/errors.js';
import { fieldOf, refuseOtherFields, type FileForm } from '../http/file-form.js';
import type { Annotations } from './annotations.dto.js';

const FIELDS = ['name', 'contentType', 'metadata', 'labels'];

/** What a form says of its file. */
export interface DocumentFields extends Annotations {
  name?: string | undefined;
}

/**
 * `name`, `contentType`, `metadata` (JSON) and `labels` (as often as there are labels).
 *
 * @throws DocsvcError `invalid_request` for other fields, and for metadata that is no object
 */
export function documentFieldsOf(form: FileForm<unknown>): DocumentFields {
  refuseOtherFields(form, FIELDS);
  const given = fieldOf(form, 'metadata');
  const metadata = given === undefined ? undefined : parseJsonObject(given);
  if (metadata === null) throw invalidMember('metadata', 'is not a JSON object');
  const labels = form.fields.get('labels');
  const name = fieldOf(form, 'name') ?? form.filename;
  const contentType = fieldOf(form, 'contentType') ?? form.mimeType;
  return {
    ...(name === undefined ? {} : { name }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(labels === undefined ? {} : { labels: [...labels] }),
  };
}
