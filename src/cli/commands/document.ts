import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { fromCaller } from '../program-context.js';

/** A YAML or JSON file, `-` for standard input. The server says what is wrong with a document; here it only has to be one. */
export function readDocument(file: string): unknown {
  return parse(readFileSync(file === '-' ? 0 : fromCaller(file), 'utf8'), { maxAliasCount: 0 });
}
