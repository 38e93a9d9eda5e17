interface RuleMatch {
  rule: number;
  matcher: string;
}

/**
 * Finds the first rule for a tool without walking all rules. `*` matches all, a trailing `*` means "starts with", anything else
 * is equality; case-sensitive (docs/design/policy.md).
 */
export interface RuleIndex {
  firstRule(tool: string): RuleMatch | null;
}

export function indexRules(matchers: readonly (readonly string[])[]): RuleIndex {
  const exact = new Map<string, number>();
  const starts = new Starts();
  matchers.forEach((list, rule) => {
    for (const matcher of list) {
      if (matcher.endsWith('*')) starts.add(matcher, rule);
      else if (!exact.has(matcher)) exact.set(matcher, rule);
    }
  });
  return {
    firstRule(tool) {
      const exactRule = exact.get(tool);
      const byStart = starts.first(tool);
      if (byStart !== null && (exactRule === undefined || byStart.rule < exactRule)) {
        return { rule: byStart.rule, matcher: byStart.matcher };
      }
      return exactRule === undefined ? null : { rule: exactRule, matcher: tool };
    },
  };
}

interface OrderedMatch extends RuleMatch {
  order: number;
}

/** Matchers that end in `*`, apart by length, so that a tool is looked up once for each length and not for each matcher. */
class Starts {
  private readonly byLength: { length: number; matches: Map<string, OrderedMatch> }[] = [];
  private count = 0;

  add(matcher: string, rule: number): void {
    const start = matcher.slice(0, -1);
    let alike = this.byLength.find(({ length }) => length === start.length);
    if (alike === undefined) this.byLength.push((alike = { length: start.length, matches: new Map() }));
    if (!alike.matches.has(start)) alike.matches.set(start, { matcher, rule, order: this.count++ });
  }

  /** The one that was added first of all with which the tool starts. */
  first(tool: string): RuleMatch | null {
    let first: OrderedMatch | null = null;
    for (const { length, matches } of this.byLength) {
      const found = matches.get(tool.slice(0, length));
      if (found !== undefined && (first === null || found.order < first.order)) first = found;
    }
    return first;
  }
}
