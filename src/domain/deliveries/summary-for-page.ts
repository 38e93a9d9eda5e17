/** GitHub takes 65,536 in a comment and 65,535 in a check; the rest is for what stands around the summary. */
const MOST_CHARACTERS = 60_000;
const CUT = '\n\n… (the summary goes on; the run has all of it)';
const LONGEST_FENCE = 40;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * What an agent wrote, as Markdown that keeps to its place on the page of a pull request: HTML outside code is shown and not obeyed, so that
 * it cannot hide what follows, a code block that it left open is closed, and it is at most 60,000 characters long.
 */
export function summaryForPage(summary: string | null): string {
  const text = cleaned(summary ?? '');
  if (text === '') return '(no summary produced)';
  const start = firstCharacters(text, MOST_CHARACTERS);
  const shown = showHtml(start);
  const whole = shown + closingOf(shown);
  if (start === text && Array.from(whole).length <= MOST_CHARACTERS) return whole;
  const kept = firstCharacters(shown, MOST_CHARACTERS - CUT.length - LONGEST_FENCE - 1);
  return `${kept}${closingOf(kept)}${CUT}`;
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

/** What ends the code block that is open at the end of the text. */
function closingOf(text: string): string {
  let open: string | null = null;
  for (const line of text.split('\n')) open = fenceAfter(line, open);
  return open === null ? '' : `\n${open}`;
}

function fenceAfter(line: string, open: string | null): string | null {
  const fence = FENCE.exec(line)?.[1] ?? null;
  if (open === null) return fence;
  return fence !== null && fence.startsWith(open) && line.trim() === fence ? null : open;
}

function showHtml(text: string): string {
  let open: string | null = null;
  const lines = text.split('\n').map((line) => {
    const before = open;
    open = fenceAfter(line, open);
    return before === null && open === null ? showHtmlOfLine(line) : line;
  });
  return lines.join('\n');
}

/** Leaves code spans that end on their line. */
function showHtmlOfLine(line: string): string {
  return line.replaceAll(/(?<![\\`])(`+)(?!`).*?[^`]\1(?!`)|<(?=[a-z!?/])/gi, (found) =>
    found === '<' ? '&lt;' : found,
  );
}
