import { findTemporalBinary } from '../../../src/embedded/temporal-binary.js';

/** The server that the bootstrap left, or the one of the PATH. */
export async function temporalProgram(): Promise<string> {
  const found = await findTemporalBinary();
  if (found === undefined) throw new Error('no temporal program; run npm test, which brings one');
  return found;
}
