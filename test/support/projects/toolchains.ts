import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngine } from '../engine/image-store.js';
import { TOOLCHAINS_IMAGE } from '../engine/test-image.js';
import { engineSettings, TEST_PROVIDER } from '../engine/test-provider.js';

/** Where Debian has the authorities that were added to its own. */
const ADDED = '/usr/local/share/ca-certificates';

/** Sandboxes in which projects of every language can be built: those of this machine's system folders, or of an image. */
export interface Toolchains extends AsyncDisposable {
  /** Of the installation that makes the sandboxes. */
  settings: NodeJS.ProcessEnv;
}

export async function startToolchains(): Promise<Toolchains> {
  // A machine's own compilers may be anywhere; the bootstrap has brought those that bubblewrap shows.
  if (TEST_PROVIDER === 'bubblewrap') return { settings: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  const engine = await startEngine(TOOLCHAINS_IMAGE);
  return {
    settings: { ...engineSettings(engine, TOOLCHAINS_IMAGE), ...trustedHere() },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** What a company adds for its mirrors is in no image. */
function trustedHere(): NodeJS.ProcessEnv {
  const names = existsSync(ADDED) ? readdirSync(ADDED).filter((name) => name.endsWith('.crt')) : [];
  const texts = names.map((name) => readFileSync(join(ADDED, name), 'utf8').trim());
  return texts.length === 0 ? {} : { SERVICE_SANDBOX_CA: texts.join('\n') };
}
