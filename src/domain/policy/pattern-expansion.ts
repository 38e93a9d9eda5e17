/** Steps that the globs and regular expressions of one policy may come to; compiling them takes about a second. */
export const MAX_PATTERN_STEPS = 400_000;

/** What a Unicode class costs more than a letter. */
const UNICODE_CLASS = 16;
const REPEAT = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/**
 * About how many steps a pattern needs beyond its length once it is compiled: a linear-time engine writes counted repetitions out,
 * so `(?:…){1000}` is a thousand copies. Without a bound a policy of a few kilobytes would hold the process for minutes.
 */
export function patternExpansion(pattern: string): number {
  /** Sizes of the open groups, the innermost last. */
  const open: number[] = [0];
  let atom = 0;
  const add = (size: number): void => {
    atom = size;
    open[open.length - 1]! += size;
  };
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at]!;
    const repeat = char === '{' ? repeatAt(pattern, at) : null;
    if (repeat !== null) {
      const copies = atom * Math.max(0, repeat.count - 1);
      open[open.length - 1]! += copies;
      atom += copies;
      at = repeat.end;
    } else if (char === '[') {
      const end = classEnd(pattern, at);
      add(1 + UNICODE_CLASS * (pattern.slice(at, end).match(/\\[pP]/g)?.length ?? 0));
      at = end;
    } else if (char === '\\') {
      const end = escapeEnd(pattern, at);
      add(end > at + 2 ? UNICODE_CLASS : 1);
      at = end;
    } else if (char === '(') {
      open.push(0);
      at = groupStart(pattern, at);
    } else {
      add(char === ')' && open.length > 1 ? open.pop()! : 1);
      at += 1;
    }
  }
  return Math.max(0, open.reduce((sum, size) => sum + size, 0) - pattern.length);
}

const GROUP_KIND = /\(\?[^:>)]*[:>]?/y;

/** Index of what a group holds, after its kind, name or flags. */
function groupStart(pattern: string, at: number): number {
  GROUP_KIND.lastIndex = at;
  return GROUP_KIND.test(pattern) ? GROUP_KIND.lastIndex : at + 1;
}

const UNICODE_ESCAPE = /\\[pP](?:\{[^}]*\}|[^{])/y;

/** Index after an escape; only a Unicode class takes more than two characters that matter here. */
function escapeEnd(pattern: string, at: number): number {
  UNICODE_ESCAPE.lastIndex = at;
  return UNICODE_ESCAPE.test(pattern) ? UNICODE_ESCAPE.lastIndex : at + 2;
}

function repeatAt(pattern: string, at: number): { count: number; end: number } | null {
  REPEAT.lastIndex = at;
  const found = REPEAT.exec(pattern);
  if (found === null) return null;
  return { count: Math.max(Number(found[1]), Number(found[2] ?? 0)), end: REPEAT.lastIndex };
}

/** Index after a character class; a `]` right at its start is a member. */
function classEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at += 1;
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length && pattern[at] !== ']') {
    const named = pattern.startsWith('[:', at) ? pattern.indexOf(':]', at) : -1;
    if (named !== -1) at = named + 2;
    else at += pattern[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}
