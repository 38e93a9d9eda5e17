/** No double has more significant decimal digits than this, so a longer literal is never exactly one. */
const MAX_SIGNIFICANT_DIGITS = 767;
const LITERAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The text under which a JSON number literal enters a digest, or null when the RFC 8785 form of the double is right.
 * The source text stays when the literal is not exactly a double, or is an integer written with a fraction (docs/design/gate.md);
 * otherwise 9007199254740993 and 9007199254740992 would share one digest, and so one approval.
 */
export function keptSourceText(source: string, value: number): string | null {
  const parts = LITERAL.exec(source);
  if (parts === null) return null;
  const fraction = parts[2];
  const keeps = (fraction !== undefined && Number.isInteger(value)) || !isExactly(parts, value);
  return keeps && source !== String(value) ? source : null;
}

function isExactly(parts: RegExpExecArray, value: number): boolean {
  const decimal = decimalOf(parts);
  if (decimal.significand === '') return true;
  if (!Number.isFinite(value) || value === 0) return false;
  if (decimal.significand.length > MAX_SIGNIFICANT_DIGITS) return false;
  return isShort(decimal) ? isShortExact(decimal) : compareMagnitudes(decimal, value) === 0;
}

/**
 * On which side of the double nearest to it a JSON number literal lies: negative below, positive above, 0 where it is exactly
 * that double or says the same decimal as its shortest form.
 */
export function compareToDouble(literal: string, nearest: number): number {
  const decimal = decimalOf(LITERAL.exec(literal));
  if (decimal.significand === '') return 0;
  const outwards = literal.startsWith('-') ? -1 : 1;
  if (nearest === 0) return outwards;
  if (!Number.isFinite(nearest)) return -outwards;
  const shortest = decimalOf(LITERAL.exec(String(nearest)));
  if (shortest.significand === decimal.significand && shortest.exponent === decimal.exponent) return 0;
  const surplus = Math.max(0, decimal.significand.length - MAX_SIGNIFICANT_DIGITS);
  const { significand, exponent } = decimal;
  const kept = { significand: significand.slice(0, MAX_SIGNIFICANT_DIGITS), exponent: exponent + surplus };
  const side = compareMagnitudes(kept, nearest);
  return outwards * (side === 0 && surplus > 0 ? 1 : side);
}

/** Whether significand and powers of ten or five are exact doubles themselves, which nearly all literals are short enough for. */
function isShort({ significand, exponent }: Decimal): boolean {
  return significand.length <= 15 && exponent >= -22 && exponent <= 0;
}

/** m · 10^-k is a double exactly when 5^k divides m: m has fewer bits than a double, and what is left is a power of two. */
function isShortExact({ significand, exponent }: Decimal): boolean {
  return Number(significand) % 5 ** -exponent === 0;
}

/** Its value without the sign is significand · 10^exponent; a significand has no zeros at its ends, that of zero is empty. */
interface Decimal {
  significand: string;
  exponent: number;
}

function decimalOf(parts: RegExpExecArray | null): Decimal {
  const fraction = parts?.[2] ?? '';
  const digits = (parts?.[1] ?? '') + fraction;
  let first = 0;
  let end = digits.length;
  while (first < end && digits[first] === '0') first++;
  while (end > first && digits[end - 1] === '0') end--;
  return {
    significand: digits.slice(first, end),
    exponent: Number(parts?.[3] ?? '0') - fraction.length + (digits.length - end),
  };
}

/** Sign of |decimal| - |value|; the value is finite and not zero. */
function compareMagnitudes({ significand, exponent }: Decimal, value: number): number {
  const { mantissa, power } = splitDouble(Math.abs(value));
  // Both sides as integers: significand · 10^exponent and mantissa · 2^power.
  let left = BigInt(significand);
  let right = mantissa;
  if (exponent >= 0) left *= 10n ** BigInt(exponent);
  else right *= 10n ** BigInt(-exponent);
  if (power >= 0) right <<= BigInt(power);
  else left <<= BigInt(-power);
  return left === right ? 0 : left > right ? 1 : -1;
}

/** |value| = mantissa · 2^power, both exact. */
function splitDouble(value: number): { mantissa: bigint; power: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponentBits = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return exponentBits === 0
    ? { mantissa: fraction, power: -1074 }
    : { mantissa: fraction | 0x10000000000000n, power: exponentBits - 1075 };
}
