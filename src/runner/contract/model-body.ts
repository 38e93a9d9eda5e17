/** Half a surrogate pair as `JSON.stringify` writes it, which leaves whole ones as they are; a backslash before makes it plain text. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * The body of a model request with half characters replaced. A model that wrote one gets it back in its own call of the next
 * request, and providers refuse such a text as invalid JSON, which would end the run.
 */
export function mendModelBody(json: string): string {
  return json.includes('\\ud') ? json.replace(HALF_PAIR, '$1\\ufffd') : json;
}
