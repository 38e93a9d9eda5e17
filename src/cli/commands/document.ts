import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { fromCaller } from './program-context.js';
import { inline } from '../terminal/escape.js';

/** Converts a file that a person named. @throws CliError with the exit code of usage, naming the file, when that fails */
export function reading<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${inline(file)}: ${(error as Error).message}`, EXIT.usage);
  }
}

/** Content of a file that a person named, `-` for standard input. */
export function readNamedFile(file: string): Buffer {
  return reading(file, () => readFileSync(file === '-' ? 0 : fromCaller(file)));
}

export function readNamedText(file: string): string {
  return readNamedFile(file).toString('utf8');
}

/** A YAML or JSON file. The server says what is wrong with a document; here it only has to parse. */
export function readDocument(file: string): unknown {
  const text = readNamedText(file);
  return reading(file, () => parse(text, { maxAliasCount: 0 }) as unknown);
}
