import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HARNESS_INSIDE, installCommand } from '../../../domain/harness/harness-program.js';
import { messageOf } from '../../log/failure-text.js';
import type { ClaudeSdk } from './sdk.js';

const MODULES = 'node_modules';
const SDK = '@anthropic-ai/claude-agent-sdk';

/** The installed program: the SDK, and Claude Code's binary beside it. */
export interface ClaudeProgram {
  sdk: ClaudeSdk;
  executable: string;
}

/** The program is not there or cannot be loaded; the message says what to do. */
export class ProgramMissingError extends Error {
  override readonly name = 'ProgramMissingError';
}

/** Loads the SDK from the mount. @throws ProgramMissingError */
export async function loadProgram(root: string = HARNESS_INSIDE): Promise<ClaudeProgram> {
  const modules = join(root, MODULES);
  const executable = ['', '-musl']
    .map((libc) => join(modules, `${SDK}-linux-${process.arch}${libc}`, 'claude'))
    .find((path) => existsSync(path));
  if (executable === undefined) throw missing(`there is no program for linux-${process.arch} beneath ${root}`);
  try {
    const sdk = (await load(join(modules, SDK, 'sdk.mjs'))) as ClaudeSdk;
    return { sdk, executable };
  } catch (error) {
    throw missing(messageOf(error));
  }
}

/** From a path that the bundler cannot see: the program is never part of our bundle. */
function load(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

function missing(reason: string): ProgramMissingError {
  return new ProgramMissingError(
    `The Claude Agent SDK could not be loaded: ${reason}. Run: ${installCommand('claude-agent-sdk')}`,
  );
}
