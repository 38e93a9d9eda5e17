/** A stretch of a blob that is one packed text. */
export interface ResultPart {
  offset: number;
  /** Packed. */
  length: number;
  /** Unpacked. */
  bytes: number;
}

/**
 * The result of one item as texts of JSON that are answered as they are: the data, what is said of its leaves without and with the signals, and
 * the members beside them, without the braces around these.
 */
export const RESULT_PARTS = ['data', 'fields', 'fieldsWithSignals', 'rest'] as const;
export type ResultPartName = (typeof RESULT_PARTS)[number];
export type ResultParts = Record<ResultPartName, ResultPart>;
