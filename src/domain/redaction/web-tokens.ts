import type { Span } from './span.js';

const RUN = /[A-Za-z0-9_-]*/y;
const MIN_PART = 8;

/**
 * Spans of JSON Web Tokens: `eyJ…` · `.` · `eyJ…` · `.` · signature, which an unsigned or a cut one lacks. All starts within one run
 * of characters share its end, so each run is read once and this is linear.
 */
export function webTokenSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf('eyJ'); start !== -1;) {
    const header = runEnd(text, start);
    const payload = text.startsWith('.eyJ', header) ? runEnd(text, header + 1) : header;
    const isToken = header - start > MIN_PART && payload - header > MIN_PART;
    const end = isToken && text[payload] === '.' ? runEnd(text, payload + 1) : payload;
    if (isToken) spans.push({ start, end, secret: start });
    start = text.indexOf('eyJ', isToken ? end : header);
  }
  return spans;
}

function runEnd(text: string, from: number): number {
  RUN.lastIndex = from;
  RUN.exec(text);
  return RUN.lastIndex;
}
