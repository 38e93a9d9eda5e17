import type { TextSpan } from './contacts.js';

/** Endings of names of companies in the laws of many countries, without marks and in small letters. */
const SUFFIXES: ReadonlySet<string> = new Set(
  (
    'inc incorporated corp corporation llc llp lp ltd limited plc co company gmbh ag kg kgaa ohg ug se sa sas sarl srl spa bv nv na ab asa oy oyj aps ' +
    'sro zrt kft rt ltda eirl pty pte sdn bhd berhad sdnbhd sb pvt pjsc ooo fzc fzco fze cv sl slu sc doo dd ad eood kk gk association bank group holdings trust ' +
    'partners enterprise enterprises stores industries services trading ' +
    'shop shoppe restaurant cafe bakery pharmacy supermarket hypermarket minimarket bookshop bookstore boutique salon hotel'
  ).split(' '),
);
/** Endings that are a word of their own too, and say so only after another word in capitals. */
const CONNECTORS: ReadonlySet<string> = new Set(
  'of the and & de du des la le y und et e für di del van der von for'.split(' '),
);
const WORD = /[^\s]+/gu;
const LATIN_LETTERS = /^[A-Za-z]+$/;
const LARGE_FIRST = /^\p{Lu}/u;

interface Token extends TextSpan {
  text: string;
}

/**
 * Names that end as companies do, from left to right: words that begin with a capital, digit or `&`, with small connectors between them, up to the
 * last suffix of a row.
 */
export function findCompanies(text: string): TextSpan[] {
  const tokens: Token[] = [...text.matchAll(WORD)].map((match) => ({
    text: match[0],
    from: match.index,
    to: match.index + match[0].length,
  }));
  const found: TextSpan[] = [];
  for (let at = 0, floor = 0; at < tokens.length; at += 1) {
    if (!isSuffixAt(tokens, at)) continue;
    let end = at;
    while (!endsPhrase(tokens[end])) {
      // `Co. (UK) Ltd` names the country of a branch, `GmbH & Co. KG` two forms at once.
      const isJoined = /^(?:\(\p{Lu}{1,3}\)|&)$/u.test(tokens[end + 1]?.text ?? '') && isSuffixAt(tokens, end + 2);
      if (!isJoined && !isSuffixAt(tokens, end + 1)) break;
      end += isJoined ? 2 : 1;
    }
    const start = startOf(tokens, at, floor);
    if (start < at) {
      found.push(spanOf(tokens, start, end, text));
      floor = end + 1;
    }
    at = end;
  }
  return found;
}

/** Whether a text ends with the suffix of a company. */
export function isCompany(text: string): boolean {
  return (
    /^\p{Lu}|^\p{N}/u.test(text.trim()) &&
    (text.match(WORD) ?? []).some((word, at) => at > 0 && SUFFIXES.has(plain(word)))
  );
}

function isSuffixAt(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]?.text ?? '';
  return LARGE_FIRST.test(word) && SUFFIXES.has(plain(word));
}

/** A comma goes on only to a suffix; a full stop behind a longer word, a semicolon or a colon ends a name. */
function endsPhrase(token: Token | undefined): boolean {
  return /[;:]$|\p{Ll}{4,}\.$|[)"”]$/u.test(token?.text ?? '');
}

function startOf(tokens: readonly Token[], at: number, floor: number): number {
  let start = at;
  for (let before = at - 1; before >= floor; before -= 1) {
    const word = tokens[before]?.text ?? '';
    const isName = /^[("“‘']?[\p{Lu}\p{N}&]/u.test(word);
    const breaks =
      /[;:]$|\p{Ll}{4,}\.$/u.test(word) || (/,$/u.test(word) && before < at - 1 && !isInitialed(tokens, before, at));
    if (breaks || (!isName && !CONNECTORS.has(word.toLowerCase()))) break;
    if (isName) start = before;
    if (/^["“(]/u.test(word) && !/^\(\p{Lu}{1,3}\)$/u.test(word)) break;
  }
  return start;
}

/** A list of names before a suffix, as in `Pierce, Fenner & Smith Incorporated`, has commas inside. */
function isInitialed(tokens: readonly Token[], before: number, at: number): boolean {
  return tokens.slice(before + 1, at).some(({ text }) => text === '&');
}

function spanOf(tokens: readonly Token[], start: number, end: number, text: string): TextSpan {
  const from = tokens[start]?.from ?? 0;
  const to = tokens[end]?.to ?? from;
  const said = text.slice(from, to);
  const cut = said.length - said.replace(/^["“‘'(]+/u, '').length;
  return { from: from + cut, to: from + cut + said.slice(cut).replace(/[,;:)"”]+$/u, '').length };
}

function plain(word: string): string {
  const small = word.toLowerCase();
  // Most words are of such letters alone, and every word of a document comes here for every company that is sought.
  return LATIN_LETTERS.test(word) ? small : small.replaceAll(/[^\p{L}]/gu, '');
}
