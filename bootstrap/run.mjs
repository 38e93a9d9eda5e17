/**
 * `node bootstrap/run.mjs <command> [arguments]`: brings what a command needs (Node 24, packages, the build, system tools, the
 * Temporal server) and then runs it. Written with Node's own modules only, for any Node from 18 on, because in a fresh clone there
 * is nothing else yet.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { COMMANDS, needsOf } from './commands.mjs';
import { BootstrapError } from './bootstrap-error.mjs';
import { ensureNode } from './node-runtime.mjs';
import { runForeground } from './processes.mjs';
import { prepare } from './prepare.mjs';

const [name, ...argv] = process.argv.slice(2);

try {
  const command = COMMANDS[name];
  if (command === undefined) {
    throw new BootstrapError(
      `"${name ?? ''}" is not a command of this script; it knows ${Object.keys(COMMANDS).join(', ')}`,
    );
  }
  const node = ensureNode();
  if (node === process.execPath) {
    await prepare(needsOf(name, argv));
    process.exitCode = await runForeground(process.execPath, [...command.argv, ...argv]);
  } else {
    // This file, whoever imported it: the `sandgate` command adds the name of its command to its own arguments.
    process.exitCode = await runForeground(node, [fileURLToPath(import.meta.url), name, ...argv]);
  }
} catch (error) {
  if (!(error instanceof BootstrapError)) throw error;
  process.stderr.write(`sandgate: ${error.message}\n`);
  process.exitCode = name in COMMANDS ? 69 : 2;
}
