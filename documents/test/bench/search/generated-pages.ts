import type { CorpusPage } from './corpus.js';
import { Random } from './random.js';

const WORDS_PER_PAGE = 150;
const PAGES_PER_DOCUMENT = 100;

/**
 * Pages without sense in the words of the documents, each as frequent as it is there, with numbers and dates between: they have the words
 * of every question and answer none.
 */
export function* generatePages(pages: readonly CorpusPage[], count: number, seed: number): Generator<CorpusPage> {
  const random = new Random(seed);
  const words = pages.flatMap(({ text }) => text.match(/\p{L}{1,30}/gu) ?? []);
  for (let index = 0; index < count; index += 1) {
    const written = Array.from({ length: WORDS_PER_PAGE }, (_, at) =>
      at % 12 === 11 ? figure(random) : random.pick(words),
    );
    yield {
      document: `generated-${String(Math.floor(index / PAGES_PER_DOCUMENT)).padStart(4, '0')}.txt`,
      pageNumber: (index % PAGES_PER_DOCUMENT) + 1,
      text: written
        .map((word, at) => (at % 15 === 14 ? `${word}\n` : `${word} `))
        .join('')
        .trim(),
    };
  }
}

function figure(random: Random): string {
  const kind = random.below(4);
  if (kind === 0) return `20${String(10 + random.below(16))}-0${1 + random.below(9)}-${10 + random.below(19)}`;
  if (kind === 1) return String(random.below(10_000));
  return (random.below(100_000_000) / 100).toLocaleString('en-US');
}
