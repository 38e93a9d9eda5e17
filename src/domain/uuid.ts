const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const BARE = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;
const ROW_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text is a UUID, in capitals too, as a client may write it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A UUID in the form in which we write ids, from what a path may say: with hyphens or without. Null for anything else. */
export function readUuid(text: string): string | null {
  const hyphenated = text.replace(BARE, '$1-$2-$3-$4-$5');
  return isUuid(hyphenated) ? hyphenated.toLowerCase() : null;
}

/** Whether the text is an id of a row in the one form in which we write ids, so that it may name a folder of ours. */
export function isRowId(text: string): boolean {
  return ROW_ID.test(text);
}

const ID_LENGTH = 36;

/** The id of a row with which a name begins; null where it begins with none. */
export function leadingRowId(name: string): string | null {
  const id = name.slice(0, ID_LENGTH);
  return isRowId(id) ? id : null;
}
