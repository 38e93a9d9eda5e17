/** A tool could not do what it was asked, for a reason that the model can act on. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}
