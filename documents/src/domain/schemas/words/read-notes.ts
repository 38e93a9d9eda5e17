import type { ValueKind } from './concepts.js';
import { unitKind, type UnitKind } from './units.js';

/** What stands in brackets behind a thing. */
export interface Notes {
  kind: ValueKind | null;
  isList: boolean;
  values: string[] | null;
  /** Things inside it, as in `supplier (name, address)`. */
  members: string[];
  unit: string | null;
  unitKind: UnitKind | null;
  remarks: string[];
}

const KINDS: readonly (readonly [RegExp, ValueKind])[] = [
  [/^(?:date\s+and\s+time|date-?time|timestamp)$/iu, 'date-time'],
  [/^(?:a\s+)?date$/iu, 'date'],
  [/^(?:a\s+)?time$/iu, 'time'],
  [/^(?:an?\s+)?(?:integer|whole\s+number|int|count)$/iu, 'integer'],
  [/^(?:a\s+)?(?:number|decimal|float|numeric)$/iu, 'number'],
  [/^(?:an?\s+)?(?:amount|money|currency)$/iu, 'money'],
  [/^(?:a\s+)?(?:boolean|bool|flag|yes\s*(?:\/|or)\s*no|true\s*(?:\/|or)\s*false|y\s*\/\s*n)$/iu, 'boolean'],
  [/^(?:an?\s+)?(?:e-?mail(?:\s+address)?)$/iu, 'email'],
  [/^(?:an?\s+)?(?:url|uri|link|web\s+address)$/iu, 'uri'],
  [/^(?:an?\s+)?percent(?:age)?$/iu, 'percent'],
  [/^(?:a\s+)?(?:text|string|free\s+text|words?)$/iu, 'text'],
];
const LIST = /^(?:an?\s+)?(?:list|array|several|multiple|many)(?:\s+of\s+(.+))?$/iu;
const CHOICE = /^(?:one\s+of|any\s+of|either|values?:?|enum:?|possible\s+values:?|options:?)\s+(.+)$/iu;
const AS = /^(?:as|in|as\s+an?|format:?|type:?)\s+(.+)$/iu;
const LONGEST_VALUE = 60;

/** @param isNoun whether words are a thing that can be asked for, rather than a value */
export function readNotes(notes: readonly string[], isNoun: (phrase: string) => boolean): Notes {
  const read: Notes = {
    ...{ kind: null, isList: false, values: null, members: [], unit: null, unitKind: null, remarks: [] },
  };
  for (const note of notes.map((one) => one.trim()).filter((one) => one !== '')) readNote(note, read, isNoun);
  return read;
}

function readNote(note: string, read: Notes, isNoun: (phrase: string) => boolean): void {
  const plain = AS.exec(note)?.[1] ?? note;
  const kind = kindNamed(plain);
  if (kind !== null) {
    read.kind = kind;
    return;
  }
  const list = LIST.exec(plain);
  if (list !== null) {
    read.isList = true;
    const [, of = ''] = list;
    read.kind = kindNamed(of.replace(/s$/iu, '')) ?? read.kind;
    return;
  }
  const unit = unitKind(plain);
  if (unit !== null) {
    read.unit = plain;
    read.unitKind = unit;
    return;
  }
  const choice = CHOICE.exec(note)?.[1];
  const parts = partsOf(choice ?? note);
  const isShort = parts.every((part) => part.length <= LONGEST_VALUE);
  if (parts.length < 2 || !isShort) read.remarks.push(note);
  else if (choice !== undefined || /\sor\s|\//iu.test(note) || !parts.every(isNoun)) read.values = parts;
  else read.members = parts;
}

/** The kind that a word of a type names, as in `whole number`; null for another word. */
export function kindNamed(text: string): ValueKind | null {
  return KINDS.find(([pattern]) => pattern.test(text.trim()))?.[1] ?? null;
}

function partsOf(text: string): string[] {
  const parts = text.split(/\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+|\s*[/|]\s*/iu).map((part) => part.trim());
  return [...new Set(parts.map((part) => part.replaceAll(/^["'“”]|["'“”]$/gu, '')).filter((part) => part !== ''))];
}
