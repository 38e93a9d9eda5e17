const REPLACEMENT_CHARACTER = '\ufffd';

/** NUL and lone surrogates, which neither PostgreSQL nor the ledger's digest can hold, become U+FFFD. */
export function normalizeText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', REPLACEMENT_CHARACTER) : wellFormed;
}
