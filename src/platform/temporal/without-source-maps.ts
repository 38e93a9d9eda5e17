import { getSourceMapsSupport, setSourceMapsSupport } from 'node:module';

/**
 * Does what makes errors that nobody reads: to say where they were made, Node would read the map of this whole program, and keep it in
 * memory for as long as the program runs.
 */
export async function withoutSourceMaps<T>(work: () => Promise<T>): Promise<T> {
  const { enabled, nodeModules, generatedCode } = getSourceMapsSupport();
  setSourceMapsSupport(false);
  try {
    return await work();
  } finally {
    setSourceMapsSupport(enabled, { nodeModules, generatedCode });
  }
}
