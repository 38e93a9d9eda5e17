import type { ExactJson } from '../../domain/digest/exact-json.js';
import { isExactObject } from '../../domain/digest/exact-json.js';
import { yamlToJson } from '../../domain/policy/policy-yaml.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { inline } from '../terminal/escape.js';
import { reading } from './document.js';

/** The document, numbers as they were written; the server says whether it is a policy. */
export function parsePolicyText(text: string, file: string): ExactJson {
  return reading(file, () => yamlToJson(text));
}

/** The name in the document, which an import also needs apart. */
export function nameInDocument(text: string, file: string): string {
  const document = parsePolicyText(text, file);
  const name = isExactObject(document) ? document['name'] : undefined;
  if (typeof name === 'string') return name;
  throw new CliError(`${inline(file)}: the document has no \`name\``, EXIT.usage);
}
