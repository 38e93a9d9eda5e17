/** Whether PostgreSQL can hold the text as it is: it stores no NUL, and half a surrogate pair is not text. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Longest id of a tool use and longest name of a tool that rows and ledger lines hold. */
export const MAX_NAME_CHARACTERS = 256;

/** Whether the record can hold the id of a tool use, or the name of a tool. */
export function isStorableName(name: string): boolean {
  return name.length <= MAX_NAME_CHARACTERS && isStorableText(name);
}
