import type { ExactJson } from '../digest/exact-json.js';
import { isExactObject } from '../digest/exact-json.js';
import type { ToolCall } from '../policy/verdict.js';
import { policyInputOf } from '../tools/tool-input.js';

/** A call with a larger view has none: a part of it might be judged differently from the whole. */
export const MAX_POLICY_VIEW_BYTES = 65_536;

/**
 * What policy reads of a call, as text for keeping: the tool and the members of its input that rules read (docs/design/tools.md).
 * Null when it cannot be kept whole.
 */
export function writePolicyView({ tool, input }: ToolCall): string | null {
  const kept = policyInputOf(input);
  // Before it is written out: an input may be a hundred times larger than what may be kept.
  if (typeof kept['command'] === 'string' && kept['command'].length > MAX_POLICY_VIEW_BYTES) return null;
  const text = JSON.stringify({ tool, input: kept });
  return Buffer.byteLength(text) > MAX_POLICY_VIEW_BYTES ? null : text;
}

/** The call as policy reads it; null when the text is no view. */
export function readPolicyView(text: string): ToolCall | null {
  const view = parse(text);
  if (view === null || !isExactObject(view) || typeof view['tool'] !== 'string' || !isExactObject(view['input'])) {
    return null;
  }
  return { tool: view['tool'], input: view['input'] };
}

function parse(text: string): ExactJson {
  try {
    return JSON.parse(text) as ExactJson;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
