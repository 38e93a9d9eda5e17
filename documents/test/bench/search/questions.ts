import type { Corpus, CorpusPage } from './corpus.js';
import { Random } from './random.js';
import { respellDate, respellNumber, type Respelled } from './respell.js';

/**
 * Questions about the documents, made from their own text by rules that know nothing of any search, and the pages that answer each. The
 * three hundreds: as a person would ask, with a typing error, with a number or date spelled otherwise.
 */
export interface Question {
  set: 'asked' | 'typo' | 'respelled';
  text: string;
  /** Pages as `document:page`; a system that finds one of them within its first ten has answered. */
  answers: string[];
}

const OF_EACH = 100;
/** A text that stands on more pages than this asks for nothing in particular. */
const MOST_ANSWERS = 5;
/** A row of figures with what they are of. */
const ROW = /^(\p{L}[\p{L} ,/&'’()-]{9,70}?)[ :]*(?:[$€£()%—–-]|\d[\d.,]*| )*\d[\d.,)]*(?:[$€£()%—– -]|\d[\d.,]*)*$/u;
/** A line that stands on this many pages is a running head. */
const RUNNING = 8;
const FUNCTION_WORDS = new Set(
  (
    'a an and any are as at be been between but by can could did do does for from had has have hereby herein hereof hereto hereunder if in into is it its ' +
    'may more no nor not of on or other our out over shall should so such than that the their them then there thereof these they this those to under ' +
    'unless until upon was we were what when where which who will with within without would you your each all per also only one two some'
  ).split(' '),
);

export const keyOf = ({ document, pageNumber }: CorpusPage): string => `${document}:${pageNumber}`;

export function makeQuestions(all: Corpus, seed: number): Question[] {
  const random = new Random(seed);
  const corpus = { ...all, pages: withoutRunningHeads(all.pages) };
  const asked = collect(corpus, random, (rules) =>
    random.pick([rules.sentence, rules.sentence, rules.label, rules.receipt])(),
  );
  const typed = collect(corpus, random, (rules) =>
    withTypo(random.pick([rules.sentence, rules.sentence, rules.label, rules.receipt])(), random),
  );
  const respelled = collect(corpus, random, (rules) => rules.respelled());
  return [
    ...asked.map((question) => ({ ...question, set: 'asked' as const })),
    ...typed.map((question) => ({ ...question, set: 'typo' as const })),
    ...respelled.map((question) => ({ ...question, set: 'respelled' as const })),
  ];
}

type Draft = Omit<Question, 'set'> | undefined;
type Rules = Record<'sentence' | 'label' | 'receipt' | 'respelled', () => Draft>;

function collect(corpus: Corpus, random: Random, next: (rules: Rules) => Draft): Omit<Question, 'set'>[] {
  const rules: Rules = {
    sentence: () => askSentence(corpus, random),
    label: () => askLabel(corpus, random),
    receipt: () => askReceipt(corpus, random),
    respelled: () => askRespelled(corpus, random),
  };
  const questions = new Map<string, Omit<Question, 'set'>>();
  for (let attempt = 0; questions.size < OF_EACH; attempt += 1) {
    if (attempt > OF_EACH * 1000) throw new Error('the documents do not yield a hundred questions of a kind');
    const question = next(rules);
    if (question !== undefined) questions.set(question.text, question);
  }
  return [...questions.values()];
}

/** What somebody remembers of a sentence: six or so of its words in their order, some in another number. */
function askSentence({ pages }: Corpus, random: Random): Draft {
  const sentences = sentencesOf(random.pick(pages));
  if (sentences.length === 0) return undefined;
  const sentence = random.pick(sentences);
  const answers = pagesWith(pages, sentence);
  const words = contentWords(sentence);
  if (answers.length > MOST_ANSWERS || words.length < 7) return undefined;
  const start = random.below(words.length - 6);
  const remembered = words.slice(start, start + 7).filter((_, index) => index !== 3);
  const said = remembered.map((word) => (random.next() < 0.2 ? otherNumber(word) : word)).join(' ');
  const ask = random.pick([
    (what: string) => `What does it say about ${what}?`,
    (what: string) => `Where do we find the rule on ${what}?`,
    (what: string) => `which page explains ${what}`,
    (what: string) => `Is there anything on ${what}?`,
    (what: string) => `How is it with the ${what}?`,
  ]);
  return { text: ask(said), answers };
}

/** A line such as `Total costs of revenues 1,234.5 987.6`, asked by what stands before the number. */
function askLabel({ pages }: Corpus, random: Random): Draft {
  const lines = random
    .pick(pages)
    .text.split('\n')
    .flatMap((line) => ROW.exec(line)?.[1] ?? []);
  if (lines.length === 0) return undefined;
  const label = random.pick(lines).trim();
  if (contentWords(label).length < 2) return undefined;
  const answers = pages
    .filter(({ text }) =>
      text.split('\n').some((line) => line.startsWith(label) && /\d/u.test(line.slice(label.length))),
    )
    .map(keyOf);
  if (answers.length > MOST_ANSWERS) return undefined;
  const ask = random.pick([
    (what: string) => `What was the ${what}?`,
    (what: string) => `How much is ${what}?`,
    (what: string) => `how high were ${what} in that period`,
    (what: string) => `Please give me the figure for ${what}`,
  ]);
  return { text: ask(label.toLowerCase()), answers };
}

function askReceipt({ receipts }: Corpus, random: Random): Draft {
  const { company } = random.pick(receipts);
  const answers = receipts
    .filter((other) => reduce(other.company) === reduce(company))
    .map(({ document }) => `${document}:1`);
  const ask = random.pick([
    (who: string) => `What was the total on the receipt from ${who}?`,
    (who: string) => `How much did we pay at ${who}?`,
    (who: string) => `when did we buy something at ${who}`,
    (who: string) => `What is the address of ${who}?`,
  ]);
  return { text: ask(capitalized(company)), answers };
}

/** A number or date of a line in another spelling, with one or two words of that line. */
function askRespelled({ pages }: Corpus, random: Random): Draft {
  const page = random.pick(pages);
  const line = random.pick(page.text.split('\n'));
  if (/section|article|\.{3}/iu.test(line)) return undefined;
  const respelled: Respelled | undefined =
    random.next() < 0.5 ? respellNumber(line, random) : respellDate(line, random);
  if (respelled === undefined) return undefined;
  const words = contentWords(line.replace(respelled.written, ' ')).filter((word) => word.length > 3);
  if (words.length === 0) return undefined;
  const context = random.shuffle(words).slice(0, 2);
  const answers = pages
    .filter(({ text }) =>
      text
        .split('\n')
        .some(
          (other) => hasWhole(other, respelled.written) && context.every((word) => contentWords(other).includes(word)),
        ),
    )
    .map(keyOf);
  if (answers.length === 0 || answers.length > MOST_ANSWERS) return undefined;
  const ask = random.pick([
    (what: string, about: string) => `Where is ${what} stated for ${about}?`,
    (what: string, about: string) => `${about} ${what}`,
    (what: string, about: string) => `Which document has ${about} of ${what}?`,
  ]);
  return { text: ask(respelled.spelled, context.join(' ')), answers };
}

/** One slip in one of the longer words: two letters exchanged, one left out, doubled or hit beside. Its first letter is right. */
function withTypo(draft: Draft, random: Random): Draft {
  if (draft === undefined) return undefined;
  const asked = new Set('receipt total address something anything explains figure period please'.split(' '));
  const words = [...draft.text.matchAll(/\p{L}{6,}/gu)].filter(([word]) => !asked.has(word.toLowerCase()));
  if (words.length === 0) return undefined;
  const { 0: word, index } = random.pick(words);
  const at = 1 + random.below(word.length - 2);
  const slip = random.pick([
    () => word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
    () => word.slice(0, at) + word.slice(at + 1),
    () => word.slice(0, at) + (word[at] ?? '') + word.slice(at),
    () => word.slice(0, at) + String.fromCodePoint(97 + random.below(26)) + word.slice(at + 1),
  ])();
  return slip === word
    ? undefined
    : { ...draft, text: draft.text.slice(0, index) + slip + draft.text.slice(index + word.length) };
}

/** Nobody asks for what stands on every page. */
function withoutRunningHeads(pages: readonly CorpusPage[]): CorpusPage[] {
  const counts = new Map<string, number>();
  for (const { text } of pages)
    for (const line of new Set(text.split('\n'))) counts.set(line, (counts.get(line) ?? 0) + 1);
  return pages.map((page) => ({
    ...page,
    text: page.text
      .split('\n')
      .filter((line) => (counts.get(line) ?? 0) < RUNNING && !line.includes('://'))
      .join('\n'),
  }));
}

/** Running text between full stops, over lines. */
function sentencesOf({ text }: CorpusPage): string[] {
  return text
    .replaceAll('\n', ' ')
    .split(/(?<=[.;:?!]) (?=\p{Lu})/u)
    .filter(
      (sentence) =>
        /^\p{Lu}/u.test(sentence) && sentence.length > 60 && sentence.length < 600 && !/\.{4}/u.test(sentence),
    );
}

const pagesWith = (pages: readonly CorpusPage[], sentence: string): string[] =>
  pages.filter((page) => reducedText(page).includes(reduce(sentence))).map(keyOf);

const reducedTexts = new WeakMap<CorpusPage, string>();

function reducedText(page: CorpusPage): string {
  const known = reducedTexts.get(page) ?? reduce(page.text);
  reducedTexts.set(page, known);
  return known;
}

const reduce = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const contentWords = (text: string): string[] =>
  [...text.toLowerCase().matchAll(/\p{L}{3,}/gu)].map(([word]) => word).filter((word) => !FUNCTION_WORDS.has(word));

/** The plural for the singular and the other way round, of what is a noun by its ending. */
const otherNumber = (word: string): string =>
  word
    .replace(/(?<=..(?:ion|ment|er|or|ance|ence|age|ee|ant|ure))$/u, 's?')
    .replace(/(?<=..(?:ion|ment|er|or|ance|ence|age|ee|ant|ure))s$/u, '')
    .replace('s?', 's');

const hasWhole = (line: string, part: string): boolean => {
  const at = line.indexOf(part);
  return at >= 0 && !/[\p{L}\d.,]/u.test(line[at - 1] ?? ' ') && !/^[.,]?\d/u.test(line.slice(at + part.length));
};

const capitalized = (name: string): string =>
  name.toLowerCase().replace(/(?<=^|[ (.&-])\p{L}/gu, (letter) => letter.toUpperCase());
