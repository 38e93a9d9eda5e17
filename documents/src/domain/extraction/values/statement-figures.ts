import type { JsonPrimitive } from '../../../../../src/domain/json.js';
import type { NormalScalar } from '../../schemas/normal-schema.js';

const FACTORS: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

/** A figure as statements print it: brackets or a dash before it take its sign, a dash alone is nothing. */
export function figure(raw: string, node: NormalScalar): JsonPrimitive {
  const value = readFigure(raw);
  if (value === null) return null;
  const takes = ({ type }: NormalScalar['rules'][number]): boolean =>
    type === 'number' || (type === 'integer' && Number.isInteger(value));
  return node.rules.some(takes) ? value : null;
}

/** The number of a figure; null for what is none. */
export function readFigure(raw: string): number | null {
  const text = raw.replaceAll(/[\s$€£¥%,]/gu, '');
  if (/^[-–—−]+$/u.test(text)) return 0;
  const parts = /^([-–−]?)(\(?)([-–−]?)(\d*\.?\d+)\)?$/u.exec(text);
  if (parts === null) return null;
  const [, before = '', bracket = '', inside = '', digits = ''] = parts;
  const value = Number(digits);
  return before === '' && bracket === '' && inside === '' ? value : value === 0 ? 0 : -value;
}

/** By how much the figures of a statement are to be multiplied, as its words say. */
export function scale(raw: string, node: NormalScalar): JsonPrimitive {
  const word = /thousand|million|billion/iu.exec(raw)?.[0].toLowerCase();
  const factor = word === undefined ? undefined : FACTORS[word];
  return factor !== undefined && node.rules.some(({ type }) => type === 'integer' || type === 'number') ? factor : null;
}

const SIGNS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY' };

/** The unit that a sign beside a figure stands for. */
export function unit(raw: string, node: NormalScalar): JsonPrimitive {
  const sign = raw.trim();
  return node.rules.some(({ type }) => type === 'string') ? (SIGNS[sign] ?? (sign === '%' ? '%' : null)) : null;
}
