import { leavesOf, type LeafTarget, type ListTarget, type ObjectTarget } from '../../compile/target.js';
import { plainWords } from './plain-words.js';

/** What a leaf of a measurement says. */
export type Role = 'value' | 'period' | 'unit' | 'scale' | 'segment' | 'level' | 'stance' | 'comparison';

/** The item of a list of measurements: one number, of a time, with what else is said of it. */
export interface SeriesShape {
  item: ObjectTarget;
  roles: ReadonlyMap<LeafTarget, Role>;
}

/** Leaves of another sort that a measurement may have besides. */
const MOST_OTHERS = 2;
const WORDS: Readonly<Record<Exclude<Role, 'level' | 'stance' | 'comparison'>, ReadonlySet<string>>> = {
  scale: new Set(['scale', 'multiplier', 'magnitude', 'factor', 'multiple']),
  unit: new Set(['unit', 'currency', 'uom']),
  period: new Set(['period', 'quarter', 'year', 'date', 'month', 'fiscal', 'when', 'asof']),
  segment: new Set(['segment', 'division', 'region', 'geography', 'category', 'breakdown', 'entity']),
  value: new Set(['value', 'amount', 'figure', 'number', 'measurement', 'quantity', 'result', 'reading']),
};
const LEVELS = new Set(['company', 'consolidated', 'group', 'total', 'overall', 'entity', 'firm']);
const STANCES = new Set(['actual', 'historical', 'realized', 'realised']);
const COMPARISONS = new Set(['yoy', 'annual', 'yearly', 'year']);

/** The shape of a list of measurements; null for a list of anything else. */
export function seriesShapeOf({ item }: ListTarget): SeriesShape | null {
  if (item.kind !== 'object') return null;
  const leaves = leavesOf(item);
  const roles = new Map<LeafTarget, Role>();
  for (const leaf of leaves) {
    const role = roleOf(leaf, new Set(roles.values()));
    if (role !== null) roles.set(leaf, role);
  }
  const found = new Set(roles.values());
  const isSeries = found.has('value') && found.has('period') && leaves.length - roles.size <= MOST_OTHERS;
  return isSeries ? { item, roles } : null;
}

/** The options of a closed list that a leaf has; empty for one that is open. */
export function optionsOf({ node }: LeafTarget): string[] {
  return node.rules.flatMap(({ values }) => values ?? []).filter((value) => typeof value === 'string');
}

/** The option that stands for what has no parts, what has happened, or what is compared with a year before. */
export function optionFor(leaf: LeafTarget, role: 'level' | 'stance' | 'comparison'): string | null {
  const meant = { level: LEVELS, stance: STANCES, comparison: COMPARISONS }[role];
  return optionsOf(leaf).find((option) => plainWords(option).some((word) => meant.has(word))) ?? null;
}

function roleOf(leaf: LeafTarget, taken: ReadonlySet<Role>): Role | null {
  if (optionsOf(leaf).length > 0) {
    const asked = (['stance', 'comparison', 'level'] as const).filter((role) => !taken.has(role));
    return asked.find((role) => optionFor(leaf, role) !== null) ?? null;
  }
  const named = roleIn(plainWords(leaf.name), leaf);
  const said = named ?? roleIn(plainWords(leaf.description.split(/[.,;:(]/u)[0] ?? ''), leaf);
  return said === null || taken.has(said) ? null : said;
}

function roleIn(words: readonly string[], leaf: LeafTarget): Role | null {
  for (const role of ['scale', 'unit', 'period', 'segment', 'value'] as const) {
    if (words.some((word) => WORDS[role].has(word)) && fits(leaf, role)) return role;
  }
  return null;
}

function fits({ node }: LeafTarget, role: Role): boolean {
  const isNumber = node.rules.some(({ type }) => type === 'number' || type === 'integer');
  if (role === 'value') return node.rules.some(({ type }) => type === 'number');
  return role === 'scale' ? isNumber : role === 'period' || node.rules.some(({ type }) => type === 'string');
}
