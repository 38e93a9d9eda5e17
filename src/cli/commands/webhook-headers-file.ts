import { isJsonObject } from '../../domain/json.js';

/** Where a request line, a status line or curl's own remarks stand in a saved head. */
const NOT_A_HEADER = /^(?:[A-Z]+ \S+ HTTP\/[\d.]+|HTTP\/[\d.]+ \d{3}.*|\*.*|\{.*|)$/;

/**
 * Headers as people save them, by name in lower case: a line each, with or without the request line and with the marks of `curl -v`,
 * or a JSON object.
 *
 * @throws Error naming what is not a header
 */
export function parseHeaders(text: string): Record<string, string> {
  const pairs = text.trimStart().startsWith('{') ? fromJson(text) : fromLines(text);
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return headers;
}

function fromLines(text: string): [string, string][] {
  return text.split(/\r?\n/).flatMap((row, index): [string, string][] => {
    const line = row.replace(/^[<>] ?/, '').trim();
    if (NOT_A_HEADER.test(line)) return [];
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`line ${index + 1} is not a header, as Name: value`);
    return [[name, value]];
  });
}

function fromJson(text: string): [string, string][] {
  const document: unknown = JSON.parse(text);
  if (!isJsonObject(document)) throw new Error('must be an object of headers');
  return Object.entries(document).map(([name, value]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (values.some((one) => typeof one !== 'string')) throw new Error(`${name} must be a text`);
    return [name, values.join(', ')];
  });
}
