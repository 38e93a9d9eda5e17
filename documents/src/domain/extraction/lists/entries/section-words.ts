import type { ListTarget } from '../../compile/target.js';
import { plainWords } from '../series/plain-words.js';
import type { Section } from './sections.js';

/** What sections are called; each line is one kind, in words in the singular. */
const KINDS = readKinds(`
work experience; professional experience; experience; employment; employment history; work history; career; career history; appointment; position; position held; academic appointment; teaching; teaching experience; research experience; curatorial work; work; internship; volunteer experience; berufserfahrung; expérience professionnelle; experiencia laboral; esperienza lavorativa; radno iskustvo
education; academic background; academic qualification; educational background; study; training; ausbildung; bildung; formation; educación; istruzione; formazione; obrazovanje; opleiding; utbildning; wykształcenie
skill; technical skill; core competency; competency; expertise; technology; area of expertise; technical proficiency; fähigkeit; kenntnis; compétence; habilidad; competenza; vještine
language; language skill; sprache; sprachkenntnis; langue; idioma; lingua; jezik
publication; paper; article; journal article; monograph; book; conference paper; selected publication; patent
certification; certificate; license; licence; award; honor; honour; grant; fellowship; membership; affiliation; professional affiliation; professional society; professional membership; accreditation; distinction; prize; scholarship
reference; bibliography; work cited; literature; literature cited; cited work; literatur; literaturverzeichnis; référence; citation
keyword; key word; index term; subject term; topic; tag
media; media appearance; press; press coverage; interview
project; selected project; personal project
interest; hobby; hobby interest
`);
/** Words that say nothing of what a section is about. */
const GENERAL: ReadonlySet<string> = new Set([
  ...[
    'selected',
    'recent',
    'relevant',
    'additional',
    'key',
    'core',
    'professional',
    'personal',
    'other',
    'main',
    'further',
  ],
  ...['from', 'and', 'or', 'of', 'the', 'in', 'to', 'for', 'with', 'total', 'list', 'history', 'my'],
]);
/** Words of a label that may be a heading. */
const LONGEST_LABEL = 3;
const BY_WORD = 0.9;
const BY_KIND = 0.8;
const BY_WORDS_AND_MORE = 0.7;
const BY_DESCRIPTION = 0.65;

/** How surely a section is that of a list, 0…1, by its heading. */
export function likenessOf({ words }: Pick<Section, 'words'>, list: ListTarget): number {
  const said = words.filter((word) => !GENERAL.has(word) && !/^\d+$/u.test(word));
  if (said.length === 0) return 0;
  const labels = list.labels.map(({ words: label }) => label).filter((label) => label.length <= LONGEST_LABEL);
  const own = Math.max(0, ...labels.map((label) => namedBy(said, label)));
  if (own > 0) return own;
  const kind = kindOf(said)?.kind ?? null;
  if (kind !== null) return kind === kindOfList(list) ? BY_KIND : 0;
  return said.length > 1 && ` ${plainWords(list.description).join(' ')} `.includes(` ${said.join(' ')} `)
    ? BY_DESCRIPTION
    : 0;
}

/** The kind of section that a list is of, by its description or its name, whichever says more. */
function kindOfList({ name, description }: ListTarget): number | null {
  const [described, named] = [kindOf(plainWords(description.split(/[.;:(]/u)[0] ?? '')), kindOf(plainWords(name))];
  return ((named?.length ?? 0) > (described?.length ?? 0) ? named : described)?.kind ?? null;
}

/** How surely words are those of a label: all of them, or a few more. */
function namedBy(said: readonly string[], label: readonly string[]): number {
  const words = label.flatMap(plainWords).filter((word) => !GENERAL.has(word));
  if (words.length === 0 || !words.every((word) => said.includes(word))) return 0;
  if (said.length === words.length) return BY_WORD;
  return said.length <= words.length + 2 ? BY_WORDS_AND_MORE : 0;
}

/** The kind whose longest name stands among the words. */
function kindOf(words: readonly string[]): { kind: number; length: number } | null {
  let best: { kind: number; length: number } | null = null;
  for (const [kind, names] of KINDS.entries()) {
    for (const name of names) {
      if (name.length > (best?.length ?? 0) && name.every((word) => words.includes(word)))
        best = { kind, length: name.length };
    }
  }
  return best;
}

function readKinds(text: string): string[][][] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(';').map((name) => name.trim().split(' ')));
}
