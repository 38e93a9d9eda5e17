import { isExactObject, isRawNumber, type ExactJson } from './exact-json.js';
import { compareToDouble } from './number-literal.js';
import type { JsonValue } from '../json.js';

/** The two readings of a document for a reader that holds doubles only; one where every number is one. */
export type DoubleReadings = [JsonValue] | [JsonValue, JsonValue];

/**
 * A document as a reader of doubles may take it: each number that is not a double is read twice, as the nearest double below and as the nearest
 * above. A check that passes for both is not fooled by rounding: 9007199254740993 is neither equal to 9007199254740992 nor at
 * most it. Literals that only write a double unusually (1.0, 0.10) have one reading. Beyond the range of doubles the reading
 * above is infinite.
 */
export function readAsDoubles(value: ExactJson): DoubleReadings {
  const below = mapNumbers(value, 'below');
  return below.inexact ? [below.value, mapNumbers(value, 'above').value] : [below.value];
}

interface Mapped {
  value: JsonValue;
  inexact: boolean;
}

function mapNumbers(value: ExactJson, side: 'below' | 'above'): Mapped {
  if (isRawNumber(value)) {
    const [below, above] = doublesAround(value.rawJSON);
    return { value: side === 'below' ? below : above, inexact: below !== above };
  }
  if (Array.isArray(value)) {
    const mapped = value.map((element) => mapNumbers(element, side));
    return { value: mapped.map((one) => one.value), inexact: mapped.some((one) => one.inexact) };
  }
  if (!isExactObject(value)) return { value: value, inexact: false };
  const mapped = Object.entries(value).map(([key, member]) => [key, mapNumbers(member, side)] as const);
  return {
    value: Object.fromEntries(mapped.map(([key, one]) => [key, one.value])),
    inexact: mapped.some(([, one]) => one.inexact),
  };
}

/** The doubles on both sides of a JSON number literal; twice the same when it is how that double may be written. */
export function doublesAround(literal: string): [number, number] {
  const nearest = Number(literal);
  const side = compareToDouble(literal, nearest);
  if (side === 0) return [nearest, nearest];
  return side > 0 ? [nearest, nextUp(nearest)] : [-nextUp(-nearest), nearest];
}

/** The next larger double. */
function nextUp(value: number): number {
  if (value === Number.POSITIVE_INFINITY) return value;
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}
