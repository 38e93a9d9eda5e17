const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text is an id of a row, in the one form in which ids are written. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
