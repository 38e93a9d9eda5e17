import { harmlessLine, openCodeAt, withoutReferences } from './harmless-line.js';

/** GitHub takes 65,536 in a comment and 65,535 in a check; the rest is for what stands around the summary. */
const MOST_CHARACTERS = 60_000;
const CUT = '\n\n… (the summary goes on; the run has all of it)';
const LONGEST_FENCE = 40;
const FENCE = /^( *)(`{3,}(?=[^`]*$)|~{3,})/;
/** From here on a fence is one in a list, and text in a paragraph. */
const UNSURE_INDENT = 4;
/** A fence behind the mark of a list or a quotation, or a tab. */
const FENCE_IN_CONTAINER = /^(?=[ \t]*(?:\t|[*+\->]|\d{1,9}[.)]))[ \t*+\->\d.)]*(?=`{3}|~{3})/;

/**
 * What an agent wrote, as Markdown that keeps to its place on the page of a pull request: HTML outside code is shown and not obeyed, so that
 * it cannot hide what follows, nobody is mentioned and no issue linked, a code block that it left open is closed, and it is at most 60,000
 * characters long.
 */
export function summaryForPage(summary: string | null): string {
  const text = cleaned(summary ?? '');
  if (text === '') return '(no summary produced)';
  const start = firstCharacters(text, MOST_CHARACTERS);
  const shown = harmless(start);
  const whole = shown + closingOf(shown);
  if (start === text && Array.from(whole).length <= MOST_CHARACTERS) return whole;
  const kept = withoutOpenCode(firstCharacters(shown, MOST_CHARACTERS - CUT.length - LONGEST_FENCE - 1));
  return `${kept}${closingOf(kept)}${CUT}`;
}

/** What the code on the last line held would be text now. */
function withoutOpenCode(text: string): string {
  if (closingOf(text) !== '') return text;
  const lastLine = text.lastIndexOf('\n') + 1;
  const at = openCodeAt(text.slice(lastLine));
  return at === null ? text : text.slice(0, lastLine + at);
}

function cleaned(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .replaceAll(/([`~])\1{40,}/g, (run) => run.slice(0, LONGEST_FENCE))
    .trim();
}

function firstCharacters(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text).slice(0, most).join('');
}

/** A code block that is open: how its lines are indented, and what ends it. */
interface OpenBlock {
  indent: string;
  fence: string;
}

/** What ends the code block that is open at the end of the text. */
function closingOf(text: string): string {
  let open: OpenBlock | null = null;
  for (const line of text.split('\n')) open = open === null ? opening(line) : isClosing(line, open) ? null : open;
  return open === null ? '' : `\n${open.indent}${open.fence}`;
}

function opening(line: string): OpenBlock | null {
  const [, indent = '', fence] = FENCE.exec(line) ?? [];
  return fence === undefined ? null : { indent, fence };
}

function isClosing(line: string, { fence }: OpenBlock): boolean {
  const given = line.trim();
  return given.startsWith(fence) && given === fence.charAt(0).repeat(given.length);
}

/**
 * Where a block ends depends on the list that it stands in, so its end is written out: before the first line that is indented less, and
 * indented like its beginning. Then every reader agrees on what is code.
 */
function harmless(text: string): string {
  let open: OpenBlock | null = null;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (open !== null && isClosing(line, open)) {
      lines.push(open.indent + line.trim());
      open = null;
    } else if (open !== null && (line.trim() === '' || line.startsWith(open.indent))) {
      lines.push(open.indent.length < UNSURE_INDENT ? line : withoutReferences(line));
    } else {
      if (open !== null) lines.push(open.indent + open.fence);
      open = opening(line);
      lines.push(open === null ? harmlessLine(line.replace(FENCE_IN_CONTAINER, '$&\\')) : line);
    }
  }
  return lines.join('\n');
}
