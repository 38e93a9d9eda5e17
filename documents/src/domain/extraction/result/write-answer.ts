import type { JsonObject, JsonValue } from '../../../../../src/domain/json.js';
import type { Answer, ListAnswer, ObjectAnswer, ScalarAnswer } from '../model/answer.js';
import { claimOf, confidenceOf } from '../confidence/confidence-of.js';
import type { Reading } from '../model/reading.js';
import { pointerTo } from '../../json-pointer.js';
import { citationsOf } from './cite.js';
import type { ExtractedDocument, ExtractedField } from '../model/extraction-result.js';

/** The data with what is to be said of each leaf and each list. */
export function writeAnswer(root: ObjectAnswer, reading: Reading): ExtractedDocument {
  const writer = new AnswerWriter(reading);
  return { data: writer.object(root, ''), ...writer.said };
}

class AnswerWriter {
  readonly said: Omit<ExtractedDocument, 'data'> = { fields: {}, completeness: [], warnings: [] };

  constructor(private readonly reading: Reading) {}

  object({ properties }: ObjectAnswer, path: string): JsonObject {
    return Object.fromEntries(
      [...properties].map(([name, answer]) => [name, this.value(answer, pointerTo(path, name))]),
    );
  }

  private value(answer: Answer, path: string): JsonValue {
    if (answer.kind === 'object') return this.object(answer, path);
    if (answer.kind === 'list') return this.list(answer, path);
    this.said.fields[path] = this.field(answer, path);
    return answer.value;
  }

  private list(answer: ListAnswer, path: string): JsonValue[] {
    const { items, expectedRows, method, missingPages } = answer;
    const returnedRows = items.length;
    const complete = missingPages.length === 0 && (expectedRows === null || returnedRows >= expectedRows);
    this.said.completeness.push({ path, returnedRows, expectedRows, method, missingPages, complete });
    if (!complete) {
      const of = expectedRows === null ? '' : ` of ${expectedRows}`;
      const missing = missingPages.length === 0 ? '' : `; pages without a row: ${missingPages.join(', ')}`;
      this.said.warnings.push({ code: 'rows_missing', message: `${path} has ${returnedRows}${of} rows${missing}` });
    }
    return items.map((item, at) => this.value(item, `${path}/${at}`));
  }

  private field(answer: ScalarAnswer, path: string): ExtractedField {
    const { evidence, signals, value } = answer;
    const confidence = confidenceOf(claimOf(value === null, path), signals);
    const said = { confidence, origin: 'local', signals } as const;
    if (evidence === null) return { ...said, citations: [], raw: null };
    const { raw, normalizedBy, foundBy } = evidence;
    return { ...said, citations: citationsOf(evidence, this.reading), raw, normalizedBy, foundBy };
  }
}
