/** A secret in a text. */
export interface Span {
  start: number;
  /** Exclusive. */
  end: number;
  /** Where the secret itself begins; `start` may stand before a word such as `Bearer`. */
  secret: number;
}
