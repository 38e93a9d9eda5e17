import { canonicalJson } from '../digest/canonical-json.js';
import { digestOfText } from '../digest/digest.js';
import { isExactObject, type ExactJson } from '../digest/exact-json.js';

/** What an upstream answered, as the broker keeps it. */
export interface UpstreamAnswer {
  isError: boolean;
  content: readonly ExactJson[];
  structuredContent?: ExactJson | undefined;
}

const MAX_BYTES = 262_144;
const MAX_JOINED_CHARACTERS = 65_536;

/** The body that the caller gets, byte for byte the same on each repetition, with the digest that the ledger shows. */
export interface StoredAnswer {
  text: string;
  /** Over the content, or over content and structured content together (docs/design/broker.md). */
  digest: string;
}

/** Writes the answer once; numbers keep their source text. Ceilings come first, so the digest is of what is delivered. */
export function writeAnswer(answer: UpstreamAnswer): StoredAnswer {
  const content = limitContent(answer.content);
  const structured = limitStructured(answer.structuredContent);
  const digested = structured === undefined ? content : { content, structuredContent: structured };
  const result = {
    content,
    is_error: answer.isError,
    ...(structured === undefined ? {} : { structured_content: structured }),
  };
  return { text: JSON.stringify({ ok: true, result }), digest: digestOfText(canonicalJson(digested)) };
}

/** Content above 256 KiB becomes one text block: the texts joined, cut at 65,536 characters, and a note. */
export function limitContent(content: readonly ExactJson[]): ExactJson[] {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes <= MAX_BYTES) return [...content];
  const joined = content.flatMap((block) => (isExactObject(block) ? textOf(block['text']) : [])).join('\n');
  const kept = Array.from(joined.slice(0, 2 * MAX_JOINED_CHARACTERS))
    .slice(0, MAX_JOINED_CHARACTERS)
    .join('');
  const note = `[truncated by Sandgate: the content had ${bytes} bytes, at most ${MAX_BYTES} are passed on]`;
  return [{ type: 'text', text: kept === '' ? note : `${kept}\n${note}` }];
}

/** Structured content above 256 KiB is replaced, never cut: half a value would be another value. */
function limitStructured(value: ExactJson | undefined): ExactJson | undefined {
  if (value === undefined) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_BYTES) return value;
  const reason = `the structured content had ${bytes} bytes, at most ${MAX_BYTES} are passed on`;
  return { service_truncated: true, reason };
}

function textOf(value: ExactJson | undefined): string[] {
  return typeof value === 'string' ? [value] : [];
}
