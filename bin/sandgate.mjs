#!/usr/bin/env node
/** The `sandgate` command. With a new enough Node and a build it is the program itself; otherwise the bootstrap brings both, and
 * what the documents service needs where that is to be started too. */
import { existsSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';
import { startsDocuments } from '../bootstrap/commands.mjs';
import { compileCache } from '../bootstrap/processes.mjs';

const program = new URL('../dist/cli/main.js', import.meta.url);
// A path that a person types is relative to where they stand, not to where the program is started further on.
process.env.SANDGATE_CALLER_DIR = process.cwd();
const isReady = Number(process.versions.node.split('.')[0]) >= 24 && existsSync(program);
if (isReady && !startsDocuments(process.argv)) {
  // For this program, and for those that it starts.
  process.env.NODE_COMPILE_CACHE = compileCache();
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(program.href);
} else {
  process.argv.splice(2, 0, 'sandgate');
  await import('../bootstrap/run.mjs');
}
