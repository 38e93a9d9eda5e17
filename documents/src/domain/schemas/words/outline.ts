import { FIXED_PAIRS } from './concepts.js';
import { GuardedText } from './guarded-text.js';
import { linesOf, sentencesOf, type OutlineLine } from './outline-lines.js';

/** One thing that somebody asks for, as it was written, with the things inside it. */
export interface OutlineItem {
  /** Its words, without quotes and brackets. */
  words: string;
  /** What stood in quotes: how documents print it. */
  quotes: string[];
  /** What stood in brackets, or after a colon as its values. */
  notes: string[];
  /** Said of each of several. */
  isEach: boolean;
  children: OutlineItem[];
}

/** Reads a description as a tree of things: commas, bullets, `with …`, `each having …` and colons. */
export function outlineOf(description: string): OutlineItem[] {
  const guarded = new GuardedText(description);
  return outlineLines(linesOf(guarded.text), new Outliner(guarded), 0);
}

function outlineLines(lines: readonly OutlineLine[], outliner: Outliner, depth: number): OutlineItem[] {
  return lines.flatMap(({ text, inner }) => {
    const items = sentencesOf(text).flatMap((sentence) => outliner.items(sentence, depth));
    const last = items.at(-1);
    const isDeep = depth >= MOST_NESTED;
    const within = outlineLines(inner, outliner, last === undefined || isDeep ? depth : depth + 1);
    if (last === undefined || isDeep) return [...items, ...within];
    last.children.push(...within);
    return items;
  });
}

/** Lists inside each other. With the root and an object for each, no schema becomes deeper than one may be. */
const MOST_NESTED = 4;

const DETERMINER = '(?=\\s+(?:the|all|each|every|a|an|any|its|their|me|us|out)\\b|\\s*:)';
const LEAD_IN = new RegExp(
  '^(?:please|kindly|also|and|then|finally|additionally|furthermore|extract|find|get|fetch|collect|identify|' +
    `(?:list|record|show|output|return|read|capture|report|give|pull|include|provide|tell)${DETERMINER}|(?:me|us|out)(?=\\s+(?:the|all|a|an)\\b)|` +
    "(?:i|we)(?:\\s+would|'d|’d)?\\s+(?:also\\s+)?(?:need|want|like)(?:\\s+to\\s+(?:know|have|get|extract|see))?|(?:can|could)\\s+you|" +
    "what(?:\\s+is|\\s+are|'s)|who(?:\\s+is|\\s+are)|when(?:\\s+is|\\s+was)|where(?:\\s+is|\\s+are)|there\\s+(?:is|are)|as\\s+well\\s+as|" +
    '(?:the|each|every)\\s+(?:document|page|file|form)s?\\s+(?:has|have|contains?|shows?|lists?)|' +
    '(?:all\\s+|the\\s+)*following(?:\\s+(?:fields|data|information|values|details))?|fields(?=\\s*:))(?![\\p{L}\\p{N}_-])[\\s:,]*',
  'iu',
);
const FOR_EACH = /^(?:for|per|of)\s+(?:each|every|all)\s+([^:,]+?)\s*(?::|,|\s(?=the\s|its\s|a\s|with\s))\s*(.+)$/iu;
const GOES_ON =
  /^(?:and\s+)?(?:(?:each|every|all|which|that)(?:\s+one)?(?:\s+of\s+(?:which|them|these))?\s+)?(?:with|having|has|have|includes?|including|containing|contains?|consisting\s+of|incl\.?|made\s+up\s+of|comprising)(?:\s+the\s+following)?\s*:?\s+(.+)$/iu;
const OPENS =
  /^(.+?)(?:\s*:\s*|,?\s+(?:each\s+|that\s+|which\s+|all\s+)?(?:with|having|has|have|including|includes?|containing|contains?|consisting\s+of|made\s+up\s+of|comprising)(?:\s+(?:a|an|the|its|their)(?=\s))?\s+)(.+)$/iu;
const HOW_MANY = /^how\s+many\s+(.+?)(?:\s+(?:are|were|is|was)\s+there|\s+there\s+(?:are|were))?$/iu;
const VALUES = /^(?:(?:one|any)\s+of\s+|either\s+)?(.+)$/iu;
const ONE_OF =
  /(?:,? (?:which|that) (?:is|are|can be|may be)| (?:is|as|being))? (?:one of|either) (?:the values )?((?:[^,;:]{1,100},){0,40}[^,;:]{1,100}?,? or [\p{L}\p{N}_-]+)/giu;

/** A list that is being filled. */
interface Level {
  into: OutlineItem[];
  depth: number;
  /** Its last item was said with `and`: what follows belongs to the list around it. */
  isClosed: boolean;
}

class Outliner {
  constructor(private readonly guarded: GuardedText) {}

  items(sentence: string, depth: number): OutlineItem[] {
    const plain = sentence
      .replaceAll(/\s+/g, ' ')
      .replaceAll(ONE_OF, (_whole, values: string) => ` ${this.guarded.keep('note', values)}`);
    const text = this.withValues(withoutLeadIn(plain));
    if (text === '') return [];
    const each = FOR_EACH.exec(text);
    if (each !== null && depth < MOST_NESTED) {
      const item = this.item(pluralOf(each[1] ?? ''), depth);
      return [{ ...item, isEach: true, children: this.items(each[2] ?? '', depth + 1) }];
    }
    return this.list(text, depth);
  }

  /** `priority: low, medium or high` names values, not things. */
  private withValues(text: string): string {
    const colon = /^([^:]*):\s*(.+)$/u.exec(text);
    const [, before = '', after = ''] = colon ?? [];
    if (before === '' || !isChoice(after)) return text;
    return `${before} ${this.guarded.keep('note', VALUES.exec(after)?.[1] ?? after)}`;
  }

  private list(text: string, depth: number): OutlineItem[] {
    const top: Level = { into: [], depth, isClosed: false };
    const levels = [top];
    for (const piece of text.replaceAll(/\s+(?:as well as|along with|plus|&)\s+/giu, ', ').split(/\s*,\s*/)) {
      if (piece.trim() !== '') this.piece(piece.trim(), levels);
    }
    return top.into;
  }

  private piece(given: string, levels: Level[]): void {
    let piece = given;
    const on = GOES_ON.exec(piece);
    const around = levels.at(-1);
    const last = around?.into.at(-1);
    if (on !== null && around !== undefined && last !== undefined && around.depth < MOST_NESTED) {
      last.isEach ||= /^(?:and\s+)?(?:each|every)\b/iu.test(piece);
      levels.push({ into: last.children, depth: around.depth + 1, isClosed: false });
      piece = on[1] ?? '';
    } else {
      while (levels.length > 1 && levels.at(-1)?.isClosed === true) levels.pop();
    }
    const isLast = /^and\s+/iu.test(piece);
    const parts = spreadParts(splitAnd(piece.replace(/^and\s+/iu, '')));
    for (const part of parts) this.part(withoutLeadIn(part), levels);
    const level = levels.at(-1);
    if (level !== undefined && levels.length > 1) level.isClosed = isLast || parts.length > 1;
  }

  private part(part: string, levels: Level[]): void {
    const level = levels.at(-1);
    if (part === '' || level === undefined) return;
    const opened = level.depth < MOST_NESTED ? OPENS.exec(part) : null;
    if (opened === null) {
      level.into.push(this.item(part, level.depth));
      return;
    }
    const [, head = '', rest = ''] = opened;
    const item = this.item(head, level.depth);
    item.isEach ||= /\beach\s+(?:with|having|has)\b/iu.test(part.slice(head.length));
    level.into.push(item);
    levels.push({ into: item.children, depth: level.depth + 1, isClosed: false });
    this.part(rest, levels);
  }

  /** A note such as `each with a name and a price` says what is inside. */
  private item(phrase: string, depth: number): OutlineItem {
    const { words, quotes, notes } = this.guarded.read(phrase.replace(HOW_MANY, 'number of $1'));
    const inside = depth < MOST_NESTED ? notes.flatMap((note) => GOES_ON.exec(note)?.[1] ?? []) : [];
    return {
      ...{ words, quotes, notes: inside.length > 0 ? notes.filter((note) => !GOES_ON.test(note)) : notes },
      isEach: notes.some((note) => /^each\b/iu.test(note)),
      children: inside.flatMap((within) => this.items(within, depth + 1)),
    };
  }
}

/** Whether words after a colon are values: the last one comes after `or`, or they are said to be some. */
function isChoice(text: string): boolean {
  if (/^(?:one|any)\s+of\s|^either\s/iu.test(text)) return true;
  return /\sor\s+[^,]+$/iu.test(text) && !/\sand\s/iu.test(text);
}

function withoutLeadIn(text: string): string {
  let rest = text.trim();
  for (;;) {
    const next = rest.replace(LEAD_IN, '').trim();
    if (next === rest) return rest;
    // A word that only begins sentences is a thing where it stands alone.
    if (next === '') return /following|^(?:please|extract|and|also)$/iu.test(rest) ? '' : rest;
    rest = next;
  }
}

function splitAnd(piece: string): string[] {
  const pairs = FIXED_PAIRS.filter((pair) => piece.toLowerCase().includes(pair));
  const guarded = pairs.reduce(
    (text, pair) => text.replaceAll(new RegExp(pair, 'giu'), (found) => found.replace(/\sand\s/iu, '\u0001')),
    piece,
  );
  return guarded.split(/\s+and\s+(?:also\s+)?/iu).map((part) => part.replaceAll('\u0001', ' and '));
}

const SIDES: ReadonlySet<string> = new Set(
  (
    'start end first last opening closing gross net billing shipping from to departure arrival minimum maximum min max planned actual ' +
    'previous current old new issue expiry birth'
  ).split(' '),
);

/** `seller's name and address` are two things of the seller; `start and end date` are two dates. */
function spreadParts(parts: readonly string[]): string[] {
  const [first = '', second] = parts;
  if (second === undefined) return [...parts];
  const owner = /^(.+?)['’]s\s+\S+/u.exec(first)?.[1];
  if (owner !== undefined) {
    return parts.map((part, at) => (at === 0 || /['’]s\s|\s/u.test(part) ? part : `${owner} ${part}`));
  }
  const noun = second.split(' ').slice(1).join(' ');
  const isSide = SIDES.has(first.replace(/^the\s+/iu, '').toLowerCase());
  return isSide && noun !== '' && parts.length === 2 ? [`${first} ${noun}`, second] : [...parts];
}

function pluralOf(noun: string): string {
  const plain = noun.trim().replace(/^(?:the|of the)\s+/iu, '');
  if (/s$/iu.test(plain) && !/ss$/iu.test(plain)) return plain;
  if (/[^aeiou]y$/iu.test(plain)) return `${plain.slice(0, -1)}ies`;
  return /(?:ss|x|ch|sh)$/iu.test(plain) ? `${plain}es` : `${plain}s`;
}
