import { confidenceIn } from '../../../src/domain/extraction/confidence/confidence-of.js';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import { benchDocument, type BenchedDocument } from '../../../src/embedded/benchmark/bench-document.js';
import type { GoldClass, GoldDocument } from '../../../src/embedded/benchmark/gold-classes.js';
import { claimOf, examplesOf, fitConfidence, type Example } from './fit-confidence.js';
import { fitAll } from './fit-weights.js';
import { goldChoices, type GoldChoice } from './gold-choices.js';
import type { ReadingCache } from './reading-cache.js';

/** Extracts each document by weights that were fitted to all others, and has its confidence by those that were fitted to what became of them. */
export class LeaveOneOut {
  private constructor(
    private readonly choices: readonly GoldChoice[],
    private readonly examples: readonly Example[],
    private readonly cache: ReadingCache,
  ) {}

  /** @param classes all of the gold, whichever are measured */
  static async of(classes: readonly GoldClass[], cache: ReadingCache): Promise<LeaveOneOut> {
    const [choices, examples]: [GoldChoice[], Example[]] = [[], []];
    for (const one of classes) {
      for (const document of one.documents) {
        const reading = await cache.of(document.file);
        choices.push(...goldChoices(one, document, reading));
        examples.push(...examplesOf(one.name, benchDocument(one, document, reading)));
      }
    }
    return new LeaveOneOut(choices, examples, cache);
  }

  async bench(one: GoldClass, document: GoldDocument): Promise<BenchedDocument> {
    const name = `${one.name}/${document.name}`;
    const weights = fitAll(this.choices.filter((choice) => choice.document !== name));
    const reading = await this.cache.of(document.file);
    const benched = benchDocument(one, document, reading, (schema, pages) => extractDocument(schema, pages, weights));
    const sure = fitConfidence(this.examples.filter((example) => example.document !== name));
    for (const leaf of benched.judgement.leaves) {
      const field = leaf.row === 'missing' ? undefined : benched.result.fields[leaf.path];
      if (field === undefined) continue;
      const claim = claimOf(field, leaf.got === null);
      field.confidence = confidenceIn(claim, field.signals, sure[claim]);
    }
    return benched;
  }
}
