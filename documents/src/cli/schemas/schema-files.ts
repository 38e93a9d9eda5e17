import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { isJsonObject, parseJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import { isMissing } from '../../../../src/domain/system-error.js';
import type { CliContext } from '../context/cli-context.js';
import { ApiError } from '../server/docsvc-api.js';
import { callerPath } from '../settings/caller-folder.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';

/** The JSON object in a file, or on standard input for `-`. @throws CliError */
export async function readSchemaFile(file: string): Promise<JsonObject> {
  const content = file === '-' ? await text(process.stdin) : readText(file);
  const schema = parseJsonObject(content);
  if (schema === null) throw new CliError(`${file === '-' ? 'standard input' : file} is no JSON object`, EXIT.usage);
  return schema;
}

function readText(file: string): string {
  try {
    return readFileSync(callerPath(file), 'utf8');
  } catch (error) {
    if (isMissing(error)) throw new CliError(`there is no ${file}`, EXIT.notFound, { cause: error });
    throw error;
  }
}

/** Does what may be refused for several faults, and says each of them before the refusal. */
export async function tellFaults<T>(context: CliContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) {
      for (const fault of error.details.filter(isJsonObject)) {
        context.note([fault['path'], fault['message']].filter((one) => typeof one === 'string').join(': '));
      }
    }
    throw error;
  }
}
