import type { Answer, ObjectAnswer, ScalarAnswer } from './model/answer.js';
import { compileTargets } from './compile/compile-targets.js';
import { leavesOf, type LeafTarget, type ListTarget, type ObjectTarget, type Target } from './compile/target.js';
import { findList } from './lists/find-list.js';
import type { Reading, Scope } from './model/reading.js';
import { writeAnswer } from './result/write-answer.js';
import type { ExtractedDocument } from './model/extraction-result.js';
import { findScalars } from './scalars/find-scalars.js';
import type { AllWeights } from './scalars/score.js';
import type { CompiledSchema } from '../schemas/compile-schema.js';

/**
 * What a document says in the shape of a schema, without a model: the same pages and the same schema give the same result, byte for byte.
 *
 * @param weights others than those of this version, as while they are fitted
 * @see documents/docs/extraction.md
 */
export function extractDocument(
  schema: Pick<CompiledSchema, 'root'>,
  reading: Reading,
  weights?: AllWeights,
): ExtractedDocument {
  return writeAnswer(answerObject(compileTargets(schema), reading.whole, reading, weights), reading);
}

function answerObject(target: ObjectTarget, scope: Scope, reading: Reading, weights?: AllWeights): ObjectAnswer {
  const scalars = findScalars(leavesOf(target), scope, reading, weights);
  return assemble(target, scalars, (list) =>
    findList(list, scope, reading, (inner, part) => answerObject(inner, part, reading, weights)),
  );
}

/** Inner objects share the scalars that were decided for the outer one. */
function assemble(
  target: ObjectTarget,
  scalars: ReadonlyMap<LeafTarget, ScalarAnswer>,
  listOf: (list: ListTarget) => Answer,
): ObjectAnswer {
  const answerOf = (property: Target): Answer => {
    if (property.kind === 'object') return assemble(property, scalars, listOf);
    if (property.kind === 'list') return listOf(property);
    const answer = scalars.get(property);
    if (answer === undefined) throw new TypeError(`nothing was decided for ${property.path}`);
    return answer;
  };
  return { kind: 'object', properties: new Map(target.properties.map((one) => [one.name, answerOf(one)])) };
}
