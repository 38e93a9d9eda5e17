import { conceptOf } from '../../schemas/words/lexicon.js';
import { singularOf, wordsOf } from '../../schemas/words/name-field.js';
import type { Label } from './target.js';

const WEIGHTS = { quoted: 1, name: 0.9, synonym: 0.7, description: 0.6, parent: 0.3 } as const;
/** Words of a description that may be a label; longer ones explain. */
const LONGEST = 6;

/** By which words a document may name what a key stands for, the likeliest first, none twice. */
export function labelsOf({
  name,
  description,
  parents,
}: {
  name: string;
  description: string;
  parents: readonly string[];
}): Label[] {
  const own = plainWords(name);
  const [head = ''] = description.split(/[.,;:(]/u);
  const heading = plainWords(head);
  const concept = conceptOf(own.map(singularOf)) ?? conceptOf(heading.map(singularOf));
  const labels: Label[] = [
    ...quotedIn(description).map((said) => labelOf(plainWords(said), 'quoted')),
    labelOf(own, 'name'),
    ...(heading.length <= LONGEST ? [labelOf(heading, 'description')] : []),
    ...(concept?.labels ?? []).map((said) => labelOf(plainWords(said), 'synonym')),
    ...parents.slice(-1).map((parent) => labelOf([...plainWords(parent), ...own], 'parent')),
  ];
  const seen = new Set<string>();
  return labels.filter(({ words }) => {
    const key = words.join(' ');
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function labelOf(words: readonly string[], from: Label['from']): Label {
  return { words, weight: WEIGHTS[from], from };
}

/** Words in small letters; those of a key in camel or snake case too. */
function plainWords(said: string): string[] {
  const spaced = said.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
  return wordsOf(spaced).map((word) => word.toLowerCase());
}

function quotedIn(description: string): string[] {
  return [...description.matchAll(/["“'‘]([^"”'’]{1,60})["”'’]/gu)].flatMap(([, said]) =>
    said === undefined ? [] : [said],
  );
}
