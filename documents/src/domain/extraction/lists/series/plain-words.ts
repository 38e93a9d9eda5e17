import { singularOf, wordsOf } from '../../../schemas/words/name-field.js';

/** The words of a name or a phrase in the singular and in small letters; of a key in camel or snake case too. */
export function plainWords(said: string): string[] {
  const spaced = said.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');
  return wordsOf(spaced).map((word) => singularOf(word.toLowerCase()));
}
