/** A start that cannot go on: one sentence that says what is missing or wrong and what to do about it. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
