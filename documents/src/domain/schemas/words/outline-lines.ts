/** A line of a description with the lines that stand under it. */
export interface OutlineLine {
  text: string;
  inner: OutlineLine[];
}

const BULLET = /^(\s*)(?:[-*•·–—▪◦]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(.*)$/iu;
/** A point after one of these ends no sentence. */
const ABBREVIATION =
  /(?:^|[^\p{L}])(?:no|nr|nos|ref|tel|incl|excl|approx|max|min|st|inc|ltd|co|dept|acc|acct|inv|vs|etc|e\.g|i\.e|art|qty|amt|pos|reg)$/iu;

/** Lines by their bullets and blanks before them; a line that ends with a colon has those behind it that stand deeper. */
export function linesOf(text: string): OutlineLine[] {
  const top: OutlineLine[] = [];
  const open: { depth: number; line: OutlineLine }[] = [];
  for (const given of text.split('\n')) {
    if (given.trim() === '') {
      open.length = 0;
      continue;
    }
    const bullet = BULLET.exec(given);
    const indent = (bullet?.[1] ?? /^\s*/u.exec(given)?.[0] ?? '').replaceAll('\t', '    ').length;
    const depth = indent * 2 + (bullet === null ? 0 : 1);
    const said = (bullet?.[2] ?? given).trim();
    const isHead = said.endsWith(':');
    const line = { text: said.replace(/\s*:$/u, ''), inner: [] };
    while (open.length > 0 && (open.at(-1)?.depth ?? 0) >= depth) open.pop();
    (open.at(-1)?.line.inner ?? top).push(line);
    if (isHead) open.push({ depth, line });
  }
  return top;
}

/** Cuts a line where a sentence or a part of it ends for good. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const mark of text.matchAll(/[;?!]|\.(?=\s|$)/gu)) {
    const before = text.slice(from, mark.index);
    if (mark[0] === '.' && ABBREVIATION.test(before) && mark.index < text.length - 1) continue;
    sentences.push(before);
    from = mark.index + 1;
  }
  sentences.push(text.slice(from));
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}
