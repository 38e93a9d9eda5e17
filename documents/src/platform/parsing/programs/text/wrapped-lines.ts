/** Columns of a page of text; what is longer goes on in the next line. */
export const COLUMNS = 100;

const TAB = 8;

/** The lines of a text as a page shows them: tabs as blanks, and no line wider than a page. */
export async function* wrappedLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    rest += piece;
    // A line feed after a carriage return may stand in the next piece.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, end).split(/\r\n|[\n\r\f]/);
    const last = lines.pop() ?? '';
    for (const line of lines) yield* wrap(line);
    // A line without end is given out as it comes, so that it is never held whole.
    const [ready, kept] = last.length > 64 * COLUMNS ? splitLong(last) : [[], last];
    yield* ready;
    rest = kept + rest.slice(end);
  }
  if (rest !== '') yield* wrap(rest.replace(/\r$/, ''));
}

function splitLong(line: string): [lines: string[], rest: string] {
  const lines = fold(expandTabs(line));
  return [lines, lines.pop() ?? ''];
}

function wrap(line: string): string[] {
  return fold(expandTabs(line.trimEnd()));
}

function fold(line: string): string[] {
  let rest = line;
  const lines: string[] = [];
  while (rest.length > COLUMNS) {
    const blank = rest.lastIndexOf(' ', COLUMNS);
    const cut = blank > 0 ? blank : wholeCharacter(rest, COLUMNS);
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut).replace(/^ /, '');
  }
  lines.push(rest);
  return lines;
}

/** No cut between the two halves of a character. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

function expandTabs(line: string): string {
  const [first = '', ...parts] = line.split('\t');
  return parts.reduce((out, part) => out.padEnd((Math.floor(out.length / TAB) + 1) * TAB) + part, first);
}
