import type { LeafTarget } from '../../compile/target.js';
import { plainWords } from '../series/plain-words.js';

/** What a leaf of an entry says. */
export type EntryRole =
  | 'current'
  | 'link'
  | 'start'
  | 'end'
  | 'date'
  | 'authors'
  | 'text'
  | 'category'
  | 'organization'
  | 'title';

const WORDS: readonly (readonly [EntryRole, readonly string[]])[] = [
  ['link', ['link', 'url', 'uri', 'website', 'doi']],
  ['start', ['start', 'began', 'begin', 'beginning', 'from']],
  ['end', ['end', 'ended', 'until', 'finish', 'finished', 'completion']],
  ['date', ['date', 'year', 'when', 'issued', 'period', 'month']],
  ['authors', ['author', 'writer']],
  [
    'text',
    ['description', 'summary', 'responsibility', 'detail', 'note', 'content', 'information', 'duty', 'achievement'],
  ],
  ['category', ['category', 'type', 'kind']],
  [
    'organization',
    [
      ...[
        'employer',
        'company',
        'organization',
        'organisation',
        'institution',
        'school',
        'university',
        'college',
        'issuer',
      ],
      ...['publisher', 'journal', 'firm', 'venue', 'client', 'body'],
    ],
  ],
  [
    'title',
    ['title', 'position', 'role', 'job', 'degree', 'qualification', 'name', 'award', 'certification', 'project'],
  ],
];

/** What a leaf says, by its name, else by what its description begins with. */
export function entryRoleOf({ name, description, valueKind }: LeafTarget): EntryRole | null {
  if (valueKind === 'boolean') return isAboutNow(`${name} ${description}`) ? 'current' : null;
  if (valueKind === 'uri') return 'link';
  return roleIn(plainWords(name)) ?? roleIn(plainWords(description.split(/[.;(]/u)[0] ?? ''));
}

function isAboutNow(said: string): boolean {
  return plainWords(said).some((word) => ['current', 'present', 'ongoing', 'now', 'active', 'still'].includes(word));
}

function roleIn(words: readonly string[]): EntryRole | null {
  return WORDS.find(([, said]) => words.some((word) => said.includes(word)))?.[0] ?? null;
}
