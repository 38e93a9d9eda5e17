import { RE2JS } from 're2js';

/** What a compiled schema needs of a pattern. */
interface SchemaPattern {
  test(text: string): boolean;
  /** Distinguishes patterns; two of one name would share a place in the compiled code. */
  toString(): string;
}

/**
 * A pattern of a schema in the linear-time engine that all patterns of others go to (docs/design/gate.md). Throws for one that it cannot
 * express (look-around, back-references): its schema cannot be used then.
 */
function compilePattern(source: string): SchemaPattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  return { test: (text) => compiled.test(text), toString: () => source };
}

/** The form in which the schema compiler takes an engine; `code` names it in generated source, which nobody writes out. */
export const schemaPatterns = Object.assign(compilePattern, { code: 're2' });
