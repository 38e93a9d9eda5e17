/**
 * Words with which people ask, beside those that each language's dictionary already leaves out. They count little and are never
 * required: `how much` says what is wanted, not what is on the page.
 */
const WORDS = `
  find show tell give list please know say says said mention mentions mentioned stated state states much many look looking want wants need
  document documents page pages file files happen happens written write appear appears anything something explain explains explained describe describes figure figures tells
  zeig zeige finde finden suche nenne bitte wieviel welche welcher welches steht dokument dokumente seite seiten
  montre montrez trouve trouver donne donnez combien quel quelle quels quelles
  muestra busca encuentra cuanto cuánto cuantos cuántos cual cuál
`;

const QUESTION_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/u));

export function isQuestionWord(word: string): boolean {
  return QUESTION_WORDS.has(word);
}
