import { readFileSync } from 'node:fs';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import { isExactObject } from '../../domain/digest/exact-json.js';
import { SandgateError } from '../../domain/errors.js';
import { yamlToJson } from '../../domain/policy/policy-yaml.js';
import { CliError, EXIT } from '../exit-codes.js';
import { fromCaller } from '../program-context.js';
import { inline } from '../terminal/escape.js';

/** Text of a policy document, YAML or JSON. */
export function readPolicyText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : fromCaller(file), 'utf8');
  } catch (error) {
    throw new CliError(`${inline(file)}: ${error instanceof Error ? error.message : 'cannot be read'}`, EXIT.usage);
  }
}

/** The document, numbers as they were written; the server says whether it is a policy. */
export function parsePolicyText(text: string, file: string): ExactJson {
  try {
    return yamlToJson(text);
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    throw new CliError(`${inline(file)}: ${error.message}`, EXIT.usage);
  }
}

/** The name that the document gives itself, which an import needs beside it. */
export function nameInDocument(text: string, file: string): string {
  const document = parsePolicyText(text, file);
  const name = isExactObject(document) ? document['name'] : undefined;
  if (typeof name === 'string') return name;
  throw new CliError(`${inline(file)}: the document has no \`name\``, EXIT.usage);
}
