import type { ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import type { JsonValue } from '../../../src/domain/json.js';

/** What `scan-sandbox.mjs` found in the sandbox in which it ran, and how much it read. */
export interface Scan {
  files: number;
  processes: number;
  found: string[];
}

/** The scan of each run, from the request that first tells the model of it. */
export function readScans(model: ScriptedModel): Scan[] {
  return model.requests.flatMap(({ body }) => {
    const told = JSON.stringify((body['messages'] as JsonValue[]).at(-1)).replaceAll('\\"', '"');
    const text = /SCAN (\{.*?\})\\n/.exec(told)?.[1];
    return text === undefined ? [] : [JSON.parse(text) as Scan];
  });
}
