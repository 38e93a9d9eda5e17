import { LISTED_NOUNS, MASS_NOUNS } from './concepts.js';
import type { ValueKind } from './concepts.js';
import { conceptOf, type Concept } from './lexicon.js';
import { isPlural, keyOf, singularOf, wordsOf } from './name-field.js';
import type { OutlineItem } from './outline.js';
import { readNotes } from './read-notes.js';
import { cutUnit, type UnitKind } from './units.js';

/** What one thing of a description comes to. */
export interface Field {
  key: string;
  /** As it was written, for its description. */
  phrase: string;
  kind: ValueKind;
  /** Its only values. */
  values: string[] | null;
  /** How documents print it: what was quoted, then what is known of the noun. */
  quoted: string[];
  labels: string[];
  unit: string | null;
  /** What else was said about it. */
  remarks: string[];
  shape: 'value' | 'values' | 'object' | 'objects';
  children: Field[];
  /** Where its type is from. */
  because: 'said' | 'unit' | 'noun' | 'unknown';
}

const SHOWN_AS =
  /\s*\b(?:which is |that is )?(?:labell?ed|shown|printed|marked|called|named|titled|headed|captioned|given|listed|next to|beside|under|below|behind|after|with the label|as)\b(?:\s+(?:as|with|by|the|label|heading))*\s*$/iu;
const GENERIC =
  /^(?:field|value|entry|text|line|column|box|cell|item|amount|sum|number|date|day|time|checkbox|check box|tick box|name|address|price|percentage)s?$/iu;
const GENERIC_KINDS: Readonly<Record<string, ValueKind>> = {
  ...{ amount: 'money', sum: 'money', price: 'money', number: 'number', date: 'date', day: 'date', time: 'time' },
  ...{ checkbox: 'boolean', 'check box': 'boolean', 'tick box': 'boolean', percentage: 'percent' },
  ...{ text: 'text', name: 'text', address: 'text' },
};
const TAIL =
  /\s+(?:(?:on|from|in|of|for)\s+(?:the|this|each)\s+(?:document|page|file|form|company|business|firm|organi[sz]ation)|if\s+(?:any|present|available|given|applicable|there\s+is\s+one))$/iu;
const LIST_OF = /^(?:a\s+|the\s+)?(?:full\s+|complete\s+)?(?:list|array|set|table)\s+of\s+(?:all\s+)?(.+)$/iu;
const WHETHER = /^(?:whether|if)(?:\s+or\s+not)?\s+(.+)$/iu;
const YES_NO = /^(?:is|has|was|are|does|did|can|contains)\s+\S/iu;

/** Reads a thing of an outline. A noun that is not known becomes a text, never nothing. @returns null for what has no letter or digit */
export function readField(item: OutlineItem): Field | null {
  const children = item.children.flatMap((child) => readField(child) ?? []);
  const notes = readNotes(item.notes, isKnownNoun);
  const members =
    children.length > 0 ? children : notes.members.flatMap((member) => readField(plainItem(member)) ?? []);
  const named = nameOf(item);
  const key = keyOf(named.words);
  if (key === null) return null;
  const singular = named.words.map(singularOf);
  const concept = named.kind === null ? conceptOf(singular) : { kind: named.kind, labels: [] };
  const unit = named.unit ?? notes.unit;
  const kind =
    notes.kind ?? named.told ?? kindOfUnit(named.unitKind ?? notes.unitKind, concept) ?? concept?.kind ?? 'text';
  const isSaid = notes.kind !== null || named.told !== null || named.kind !== null || notes.values !== null;
  return {
    ...{ key, phrase: named.phrase, kind: notes.values === null ? kind : 'text', values: notes.values },
    ...{ quoted: item.quotes, labels: concept?.labels ?? [], unit, remarks: notes.remarks },
    shape: shapeOf(item, named, members, notes.isList),
    children: members,
    because: isSaid ? 'said' : unit !== null ? 'unit' : concept === null ? 'unknown' : 'noun',
  };
}

interface Named {
  phrase: string;
  words: string[];
  /** Of a noun like `amount` or `checkbox` before a label. */
  kind: ValueKind | null;
  /** What its sentence says, as `whether …` does. */
  told: ValueKind | null;
  unit: string | null;
  unitKind: UnitKind | null;
  isList: boolean;
}

function nameOf({ words, quotes }: OutlineItem): Named {
  const [label] = quotes;
  const cut = label === undefined ? null : cutUnit(words);
  const said = cut === null ? words : cut.phrase.replace(SHOWN_AS, '').trim();
  const head = wordsOf(said).join(' ');
  if (label !== undefined && (head === '' || GENERIC.test(head))) {
    const generic = GENERIC_KINDS[singularOf(head)] ?? GENERIC_KINDS[head.toLowerCase()] ?? null;
    const kind = generic ?? null;
    return {
      ...NOTHING,
      phrase: label,
      words: wordsOf(label, true),
      kind,
      unit: cut?.unit ?? null,
      unitKind: cut?.kind ?? null,
    };
  }
  const list = LIST_OF.exec(said)?.[1];
  const whether = WHETHER.exec(list ?? said)?.[1];
  const asked = (whether ?? list ?? said).replace(TAIL, '');
  const { phrase, unit, kind: unitKind } = cut === null ? cutUnit(asked) : { ...cut, phrase: asked };
  const isYesNo = whether !== undefined || YES_NO.test(phrase);
  const named = wordsOf(phrase);
  return {
    ...{ phrase, words: named, kind: null, told: isYesNo ? 'boolean' : null, unit, unitKind },
    isList: list !== undefined,
  };
}

const NOTHING: Named = { phrase: '', words: [], kind: null, told: null, unit: null, unitKind: null, isList: false };

function shapeOf(item: OutlineItem, named: Named, members: readonly Field[], isListSaid: boolean): Field['shape'] {
  const last = named.words.at(-1) ?? '';
  const noun = singularOf(last);
  const isMany = named.isList || isListSaid || item.isEach;
  if (members.length > 0) {
    return isMany || isPlural(last) || MASS_NOUNS.has(noun) ? 'objects' : 'object';
  }
  const isListed = isPlural(last) && LISTED_NOUNS.has(noun) && !named.words.includes('of');
  return isMany || isListed ? 'values' : 'value';
}

/** A unit makes a number of everything but a date; money in euros stays money. */
function kindOfUnit(unit: UnitKind | null, concept: Concept | null): ValueKind | null {
  if (unit === null) return null;
  if (unit === 'currency') return 'money';
  if (unit === 'percent') return 'percent';
  return concept?.kind === 'money' ? 'money' : 'number';
}

function isKnownNoun(phrase: string): boolean {
  return conceptOf(wordsOf(phrase).map(singularOf)) !== null;
}

function plainItem(words: string): OutlineItem {
  return { words, quotes: [], notes: [], isEach: false, children: [] };
}
