import { isExactObject, type ExactJson, type ExactObject } from '../../domain/digest/exact-json.js';
import { ExchangeError } from './exchange-error.js';
import type { ToolAnswer } from './mcp-outcome.js';

/** Of content and of structured content each, as compact JSON (chapter 40 §6). */
const MAX_RESULT_BYTES = 256 * 1024;
const KEPT_CHARACTERS = 65_536;

/**
 * What is passed on of the result of `tools/call`.
 * @throws ExchangeError `invalid` for one that holds no content
 */
export function readToolAnswer(result: ExactObject): ToolAnswer {
  const structured = result['structuredContent'] ?? undefined;
  const isError = result['isError'] === true;
  return {
    state: isError ? 'failed_upstream' : 'succeeded',
    isError,
    content: boundContent(contentOf(result, structured !== undefined)),
    ...(structured === undefined ? {} : { structuredContent: boundStructured(structured) }),
  };
}

/** A definitive failure that the server did not put into words which may be passed on. */
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

function boundContent(content: ExactJson[]): ExactJson[] {
  const bytes = sizeOf(content);
  if (bytes <= MAX_RESULT_BYTES) return content;
  const joined = content
    .map(textOf)
    .filter((text) => text !== null)
    .join('\n');
  const kept = joined.slice(0, KEPT_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  const note = `[truncated by sandgate: the result of ${bytes} bytes is larger than ${MAX_RESULT_BYTES}; shown are ${kept.length} of ${joined.length} characters of its text]`;
  return [{ type: 'text', text: kept === '' ? note : `${kept}\n${note}` }];
}

function boundStructured(structured: ExactJson): ExactJson {
  const bytes = sizeOf(structured);
  if (bytes <= MAX_RESULT_BYTES) return structured;
  return { service_truncated: true, reason: `structured content of ${bytes} bytes is larger than ${MAX_RESULT_BYTES}` };
}

function textOf(block: ExactJson): string | null {
  const text = isExactObject(block) && block['type'] === 'text' ? block['text'] : null;
  return typeof text === 'string' ? text : null;
}

function sizeOf(value: ExactJson): number {
  return Buffer.byteLength(JSON.stringify(value));
}
