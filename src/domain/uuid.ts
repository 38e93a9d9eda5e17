const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ROW_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text is a UUID, in capitals too, as a client may write it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whether the text is an id of a row in the one form in which we write ids, so that it may name a folder of ours. */
export function isRowId(text: string): boolean {
  return ROW_ID.test(text);
}
