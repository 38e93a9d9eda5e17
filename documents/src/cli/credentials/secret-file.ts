import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import { isMissing } from '../../../../src/domain/system-error.js';
import { CliError } from '../terminal/exit-codes.js';

const OWN = 0o600;

/**
 * A file of secrets, for its owner alone. Nothing where it is missing.
 *
 * @throws CliError when others may read it, or it is no JSON object
 */
export function readSecretFile(path: string): JsonObject {
  try {
    if ((statSync(path).mode & 0o077) !== 0)
      throw new CliError(`others may read ${path}, which holds secrets; run chmod 600 ${path}`);
    const content = parseJsonObject(readFileSync(path, 'utf8'));
    if (content === null) throw new CliError(`${path} is not a JSON object; remove it and sign in again`);
    return content;
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

export function writeSecretFile(path: string, content: JsonObject): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: OWN, flush: true });
  chmodSync(draft, OWN);
  renameSync(draft, path);
}
