import { claimOf, confidenceOf, type ClaimWeights } from '../../../src/domain/extraction/confidence/confidence-of.js';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import { benchDocument, fieldOf, type BenchedDocument } from '../../../src/embedded/benchmark/bench-document.js';
import type { GoldClass, GoldDocument } from '../../../src/embedded/benchmark/gold-classes.js';
import { FamiliesFit } from './fit-families.js';
import { ConfidenceFit, judgedAnswers } from './fit-confidence.js';
import { goldChoices, type GoldChoice } from './gold-choices.js';
import type { ReadingCache } from './reading-cache.js';

/**
 * What extraction makes of each document of the gold by weights that were fitted to all others. Its confidence is weighed by weights that were fitted to
 * what came of the others in the same way.
 */
export class LeftOut {
  private constructor(
    readonly fit: FamiliesFit,
    readonly confidence: ConfidenceFit,
    private readonly choices: readonly GoldChoice[],
    private readonly benched: ReadonlyMap<string, BenchedDocument>,
  ) {}

  /** @param classes all of the gold, whichever are measured */
  static async of(classes: readonly GoldClass[], cache: ReadingCache): Promise<LeftOut> {
    const choices: GoldChoice[] = [];
    for (const one of classes) {
      for (const document of one.documents) choices.push(...goldChoices(one, document, await cache.of(document.file)));
    }
    const fit = new FamiliesFit(choices);
    const benched = new Map<string, BenchedDocument>();
    for (const one of classes) {
      for (const document of one.documents) {
        const weights = fit.weights(nameOf(one, document));
        const reading = await cache.of(document.file);
        const extracted = benchDocument(one, document, reading, (schema, read) =>
          extractDocument(schema, read, weights),
        );
        benched.set(nameOf(one, document), extracted);
      }
    }
    const answers = [...benched].flatMap(([name, one]) => judgedAnswers(name, one));
    return new LeftOut(fit, new ConfidenceFit(answers), choices, benched);
  }

  /** @throws RangeError for a document that is not of the gold */
  bench(one: GoldClass, document: GoldDocument): BenchedDocument {
    const name = nameOf(one, document);
    const benched = this.benched.get(name);
    if (benched === undefined) throw new RangeError(`${name} is no document of the gold`);
    weighAnew(benched, this.confidence.weights(name));
    return benched;
  }

  /** The choices outside of lists in a document. */
  choicesOf(one: GoldClass, document: GoldDocument): GoldChoice[] {
    return this.choices.filter((choice) => choice.document === nameOf(one, document));
  }
}

function weighAnew(benched: BenchedDocument, weights: ClaimWeights): void {
  for (const leaf of benched.judgement.leaves) {
    const field = fieldOf(benched, leaf);
    if (field !== null) field.confidence = confidenceOf(claimOf(leaf.got === null, leaf.path), field.signals, weights);
  }
}

function nameOf(one: GoldClass, document: GoldDocument): string {
  return `${one.name}/${document.name}`;
}
