import { isJsonObject, parseJsonObject } from '../../../domain/json.js';
import type { JsonObject } from '../../../domain/json.js';
import { boundedReason } from '../bounded-reason.js';
import type { HarnessResult } from '../harness.js';
import { textOf } from './text-member.js';

/** What a finished turn means for the run: only one that the program calls completed is (docs/design/runner.md). */
export function describeTurn({ status, error }: JsonObject, text: string): HarnessResult {
  if (status === 'completed')
    return { outcome: 'completed', summary: text || 'The agent finished without a closing message.' };
  const reason = isJsonObject(error) ? `: ${reasonOf(error)}` : '';
  return { outcome: 'failed', summary: `The turn ended as ${textOf(status)}${reason}` };
}

/** A refusal of the gateway or of the provider arrives as the text of its body. */
function reasonOf({ message, additionalDetails }: JsonObject): string {
  const text = textOf(message) || 'no reason was given';
  const details = typeof additionalDetails === 'string' ? ` (${additionalDetails})` : '';
  return boundedReason(`${innerMessage(text) ?? text}${details}`);
}

function innerMessage(text: string): string | null {
  const inner = parseJsonObject(text)?.['error'];
  const message = isJsonObject(inner) ? inner['message'] : inner;
  return typeof message === 'string' ? message : null;
}
