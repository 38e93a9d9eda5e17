const ARTICLES: ReadonlySet<string> = new Set([
  'the',
  'a',
  'an',
  'all',
  'its',
  'their',
  'any',
  'every',
  'each',
  'his',
  'her',
]);
const MOST_WORDS = 8;
const MOST_CHARACTERS = 64;
const IRREGULAR: Readonly<Record<string, string>> = {
  ...{
    people: 'person',
    children: 'child',
    men: 'man',
    women: 'woman',
    indices: 'index',
    data: 'data',
    status: 'status',
  },
  ...{ address: 'address', series: 'series', species: 'species', analysis: 'analysis', basis: 'basis', tax: 'tax' },
  ...{
    gas: 'gas',
    bus: 'bus',
    gps: 'gps',
    eps: 'eps',
    pcs: 'pcs',
    sms: 'sms',
    bonus: 'bonus',
    sex: 'sex',
    axis: 'axis',
  },
  ...{
    premises: 'premises',
    instructions: 'instructions',
    units: 'unit',
    lens: 'lens',
    campus: 'campus',
    news: 'news',
  },
};

/** Words of a phrase: letters and digits of any script, without articles and the `'s` of owners. */
export function wordsOf(phrase: string, keepArticles = false): string[] {
  const words = phrase
    .normalize('NFKC')
    .replaceAll(/['’]s(?![\p{L}\p{N}])/gu, '')
    .replaceAll(/['’]/gu, '')
    .replaceAll(/%/gu, ' percent ')
    .replaceAll(/(\p{L})#|#/gu, '$1 number ')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
  return keepArticles ? words : words.filter((word) => !ARTICLES.has(word.toLowerCase()));
}

/** A key in camel case, of letters and digits; null where nothing is left of the words. */
export function keyOf(words: readonly string[]): string | null {
  const parts = words.slice(0, MOST_WORDS).map((word) => word.normalize('NFKD').replaceAll(/\p{M}/gu, ''));
  const plain = parts.map((word) => word.toLowerCase());
  const key = plain.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
  if (key === '') return null;
  return (/^\d/.test(key) ? `n${key}` : key).slice(0, MOST_CHARACTERS);
}

/** A word in the singular, in small letters. */
export function singularOf(word: string): string {
  const lower = word.toLowerCase();
  const irregular = IRREGULAR[lower];
  if (irregular !== undefined) return irregular;
  if (lower.length < 4 || /(?:ss|us|is)$/.test(lower) || !lower.endsWith('s')) return lower;
  if (lower.endsWith('ies') && lower.length > 4) return `${lower.slice(0, -3)}y`;
  return /(?:sses|shes|ches|xes|zes)$/.test(lower) ? lower.slice(0, -2) : lower.slice(0, -1);
}

export function isPlural(word: string): boolean {
  return singularOf(word) !== word.toLowerCase();
}
