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
  const starts: { start: string; matcher: string; rule: number }[] = [];
  matchers.forEach((list, rule) => {
    for (const matcher of list) {
      if (matcher.endsWith('*')) starts.push({ start: matcher.slice(0, -1), matcher, rule });
      else if (!exact.has(matcher)) exact.set(matcher, rule);
    }
  });
  return {
    firstRule(tool) {
      const exactRule = exact.get(tool);
      const byStart = starts.find(
        ({ start, rule }) => (exactRule === undefined || rule < exactRule) && tool.startsWith(start),
      );
      if (byStart !== undefined) return { rule: byStart.rule, matcher: byStart.matcher };
      return exactRule === undefined ? null : { rule: exactRule, matcher: tool };
    },
  };
}
