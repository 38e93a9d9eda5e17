#!/usr/bin/env node
/** The `docsvc` command. With a new enough Node and a build it is the program itself; otherwise the bootstrap brings both. */
import { existsSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';
import { compileCache } from '../../bootstrap/processes.mjs';

const program = new URL('../../dist/documents/cli/main.js', import.meta.url);
// A path that a person types is relative to where they stand, not to where the program is started further on.
process.env.DOCSVC_CALLER_DIR = process.cwd();
const isReady = Number(process.versions.node.split('.')[0]) >= 24 && existsSync(program);
if (isReady) {
  process.env.NODE_COMPILE_CACHE = compileCache();
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import(program.href);
} else {
  process.argv.splice(2, 0, 'documents:cli');
  await import('../../bootstrap/run.mjs');
}
