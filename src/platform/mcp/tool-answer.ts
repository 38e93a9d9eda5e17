import { isExactObject, type ExactJson, type ExactObject } from '../../domain/digest/exact-json.js';
import { ExchangeError } from './exchange-error.js';
import type { ToolAnswer } from './mcp-outcome.js';

/**
 * What the result of `tools/call` holds, whole.
 * @throws ExchangeError `invalid` for one that holds no content
 */
export function readToolAnswer(result: ExactObject): ToolAnswer {
  const structured = result['structuredContent'] ?? undefined;
  const isError = result['isError'] === true;
  return {
    state: isError ? 'failed_upstream' : 'succeeded',
    isError,
    content: contentOf(result, structured !== undefined),
    ...(structured === undefined ? {} : { structuredContent: structured }),
  };
}

/** A definitive failure without any text that may be passed on. */
export function failedAnswer(error: string, httpStatus?: number): ToolAnswer {
  return {
    state: 'failed_upstream',
    isError: true,
    content: [{ type: 'text', text: error }],
    error,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  };
}

function contentOf(result: ExactObject, hasStructured: boolean): ExactJson[] {
  const content = result['content'] ?? (hasStructured ? [] : undefined);
  if (Array.isArray(content) && content.every(isExactObject)) return content;
  throw new ExchangeError({ kind: 'invalid' }, 'tools/call: the result has no content');
}
