/**
 * How a returned value is compared with the right one: `exact` text; `caseless` text; `letters` and digits alone; `similar` text, after case and white
 * space are folded; a calendar `date`, whose day comes first where figures leave it open if it says so; numbers within a tolerance.
 */
export type Rule =
  | { by: 'exact' }
  | { by: 'caseless' }
  | { by: 'letters' }
  | { by: 'similar' }
  | { by: 'date'; dayFirst: boolean }
  | { by: 'number'; within: number }
  | { by: 'integer' }
  | { by: 'boolean' };

/** How the leaves of a schema are compared, in its shape. */
export type RuleNode =
  | { kind: 'leaf'; rules: readonly Rule[] }
  | { kind: 'list'; item: RuleNode }
  | { kind: 'object'; properties: ReadonlyMap<string, RuleNode> };
