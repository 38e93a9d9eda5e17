/** Whether PostgreSQL can hold the text as it is: it stores no NUL, and half a surrogate pair is no text. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
