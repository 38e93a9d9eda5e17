/** What a schema may hold; whoever passes one of these is told which. */
export const SCHEMA_LIMITS = {
  /** Keys of all `properties`, with those of definitions counted wherever they are used. */
  properties: 5_000,
  /** Objects and lists inside each other, the root included. */
  depth: 10,
  /** Characters of all texts: names, descriptions, values of enums. */
  characters: 120_000,
  enumValues: 1_000,
  /** Of the whole schema as JSON. */
  bytes: 256 * 1024,
  patternCharacters: 1_000,
  /** Of the name of one property or definition. */
  nameCharacters: 255,
} as const;
