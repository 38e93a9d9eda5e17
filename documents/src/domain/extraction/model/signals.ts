/** What speaks for an answer, each 0…1. @see documents/docs/confidence.md */
export interface Signals {
  /** How surely its words were read: the recognition of pictures, 0.99 for a text layer. */
  read: number;
  /** How clearly its place was found: the label or column that names it, and the lead over the second best. */
  find: number;
  /** How well it fits type, format, enum, pattern, bounds and check digits. */
  fit: number;
  /** What else agrees with it: occurrences elsewhere, sums, orders of dates. 0.5 where nothing speaks either way. */
  agree: number;
  /** How literally it stands where it is cited. */
  ground: number;
}
