import type { JsonPrimitive } from '../../../../../../src/domain/json.js';
import type { Answer, Evidence, ObjectAnswer, ScalarAnswer } from '../../model/answer.js';
import type { LeafTarget, ObjectTarget } from '../../compile/target.js';
import type { Reading, WordRange } from '../../model/reading.js';
import { NORMALIZERS, type NormalizerName } from '../../values/normalizers.js';
import type { Measure } from './measure.js';
import type { Measurement } from './measurement.js';
import type { SeriesIndex } from './series-index.js';
import { optionFor, type Role, type SeriesShape } from './series-shape.js';

const SIGN = /[$€£¥%]/u;
/** What a schema asks to write where nothing is to be said, as `'NA' for the whole company`. */
const FOR_NONE = /['"‘“]([^'"’”]{1,20})['"’”]\s+(?:for|if|when|where)\b/u;
const BRACKETED = /^\(.*\)$/u;

interface Context {
  shape: SeriesShape;
  measure: Measure;
  index: SeriesIndex;
  reading: Reading;
}

/** Measurements as items of a list. */
export class MeasurementWriter {
  constructor(private readonly context: Context) {}

  item(measurement: Measurement): ObjectAnswer {
    return this.object(this.context.shape.item, measurement);
  }

  private object(target: ObjectTarget, measurement: Measurement): ObjectAnswer {
    const answerOf = (property: ObjectTarget['properties'][number]): Answer => {
      if (property.kind === 'object') return this.object(property, measurement);
      if (property.kind === 'leaf') return this.leaf(property, measurement);
      return { kind: 'list', items: [], expectedRows: null, method: null, missingPages: [] };
    };
    return { kind: 'object', properties: new Map(target.properties.map((one) => [one.name, answerOf(one)])) };
  }

  private leaf(leaf: LeafTarget, measurement: Measurement): ScalarAnswer {
    const role = this.context.shape.roles.get(leaf);
    if (role === undefined) return nothing(measurement.quality);
    if (role === 'value') return this.value(leaf, measurement);
    if (role === 'unit') return this.unit(leaf, measurement);
    if (role === 'scale') return this.scale(leaf, measurement);
    return this.inferred(this.implied(role, leaf, measurement), sourceOf(role, measurement), measurement.quality);
  }

  /** What follows from the kind of table and its header, and stands nowhere as it is. */
  private implied(role: Role, leaf: LeafTarget, { period }: Measurement): JsonPrimitive {
    if (role === 'period') return period;
    if (role === 'level' || role === 'stance' || role === 'comparison') return optionFor(leaf, role);
    return FOR_NONE.exec(leaf.description)?.[1] ?? null;
  }

  private value(leaf: LeafTarget, { row, figure, quality }: Measurement): ScalarAnswer {
    const isNegated = this.context.measure.isOutflow && isBracketedThroughout(row.figures.map(({ raw }) => raw));
    const raw = isNegated && BRACKETED.test(figure.raw) ? figure.raw.slice(1, -1).trim() : figure.raw;
    return this.cited(leaf, { raw, normalizedBy: 'figure', at: figure.at }, { foundBy: row.label, quality });
  }

  private unit(leaf: LeafTarget, { row, column, figure, quality }: Measurement): ScalarAnswer {
    if (this.context.measure.figure === 'count') return nothing(quality);
    const beside = [figure, ...row.figures, ...row.table.rows.flatMap(({ figures }) => figures)];
    const isPercent = this.context.measure.figure === 'percent' || this.context.measure.isGrowth;
    const inHeader = column.header.map(({ at }) => at);
    const places = [...beside.flatMap(({ unit }) => unit ?? []), ...inHeader];
    for (const at of places) {
      const sign = SIGN.exec(this.context.reading.textOf([at]))?.[0];
      if (sign !== undefined && (sign === '%') === isPercent) {
        return this.cited(leaf, { raw: sign, normalizedBy: 'unit', at }, { foundBy: row.label, quality });
      }
    }
    return nothing(quality);
  }

  private scale(leaf: LeafTarget, { row, figure, quality }: Measurement): ScalarAnswer {
    const { measure, index } = this.context;
    const scale = row.table.scale ?? index.scale;
    const isOne = measure.figure === 'percent' || measure.isGrowth || measure.figure === 'each';
    if (isOne || (measure.figure === 'count' && scale?.exceptShares === true)) {
      return this.inferred(1, [figure.at], quality);
    }
    if (scale === null) return nothing(quality);
    const { said: raw, at } = scale;
    return this.cited(leaf, { raw, normalizedBy: 'scale', at }, { foundBy: raw, quality });
  }

  private inferred(value: JsonPrimitive, at: WordRange[], find: number): ScalarAnswer {
    if (value === null) return nothing(find);
    const { reading } = this.context;
    const [first] = at;
    const source = (first === undefined ? undefined : reading.wordsOf(first)[0]?.source) ?? 'text_layer';
    const raw = reading.textOf(at);
    const evidence: Evidence = { raw, normalizedBy: 'verbatim', at, match: 'inferred', source, foundBy: raw };
    return { kind: 'scalar', value, evidence, signals: { read: 0.99, find, fit: 1, agree: 0.5, ground: 0.8 } };
  }

  private cited(
    { node }: LeafTarget,
    { raw, normalizedBy, at }: { raw: string; normalizedBy: NormalizerName; at: WordRange },
    { foundBy, quality }: { foundBy: string; quality: number },
  ): ScalarAnswer {
    const value = NORMALIZERS[normalizedBy](raw, node);
    if (value === null) return nothing(quality);
    const words = this.context.reading.wordsOf(at);
    const [word] = words;
    const evidence: Evidence = {
      ...{ raw, normalizedBy, at: [at], foundBy },
      match: raw === String(value) ? 'exact' : 'normalized',
      source: word?.source ?? 'text_layer',
    };
    const read = Math.min(1, ...words.map(({ confidence }) => confidence));
    const ground = evidence.match === 'exact' ? 1 : 0.95;
    return { kind: 'scalar', value, evidence, signals: { read, find: quality, fit: 1, agree: 0.5, ground } };
  }
}

function nothing(find: number): ScalarAnswer {
  return { kind: 'scalar', value: null, evidence: null, signals: { read: 0.99, find, fit: 1, agree: 0.5, ground: 1 } };
}

/** The words that let something be inferred: a header of times, the name of the row of everything else. */
function sourceOf(role: Role, { row, column, figure }: Measurement): WordRange[] {
  if (role === 'period' && column.header.length > 0) return column.header.map(({ at }) => at);
  return [row.labelAt ?? figure.at];
}

/** Expenses that a table writes in brackets, all of them, are no income. */
function isBracketedThroughout(figures: readonly string[]): boolean {
  const said = figures.filter((raw) => /\d/u.test(raw));
  return said.length > 0 && said.every((raw) => BRACKETED.test(raw));
}
