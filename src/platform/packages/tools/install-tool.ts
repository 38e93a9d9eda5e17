import { chmod, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { extname, isAbsolute, join, normalize } from 'node:path';
import { digestOfText } from '../../../domain/digest/digest.js';
import { SandgateError } from '../../../domain/errors.js';
import { isJsonObject } from '../../../domain/json.js';
import { commandInside, TOOLS_INSIDE, toolPackageText, type ToolPackage } from '../../../domain/tools/tool-package.js';
import { placeFolder, removePlaced } from '../npm/placed-folder.js';
import { npmInstall } from '../npm/run-npm.js';
import { RECORD, treeDigest } from '../npm/tree-digest.js';
import { readLockFile } from './lock-file.js';
import { packageFolder, readInstalled, type InstalledTool } from './tool-folder.js';

const COMMAND = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const JAVASCRIPT = new Set(['.js', '.mjs', '.cjs']);
/** The sandbox's own Node, which tool processes use too. */
const NODE_INSIDE = '/opt/sandgate/node/bin/node';

/**
 * Fetches a package with its dependencies into `<data>/tools/<name>/<version>` and records what it is; a package that is there is
 * answered as it is. It appears whole or not at all.
 * @throws SandgateError `invalid_request` for a package that has no command or cannot be pinned, `unavailable` when npm fails
 */
export async function installTool(dataDir: string, tool: ToolPackage): Promise<InstalledTool> {
  const present = await readInstalled(dataDir, tool);
  if (present !== null) return present;
  return placeFolder(dataDir, packageFolder(dataDir, tool), (folder) => stage(folder, tool));
}

/** Removes a package; false when it was not there. A server of a run that is using it breaks. */
export function removeTool(dataDir: string, tool: ToolPackage): Promise<boolean> {
  return removePlaced(dataDir, packageFolder(dataDir, tool));
}

async function stage(folder: string, tool: ToolPackage): Promise<InstalledTool> {
  const dependencies = { [tool.name]: tool.version };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await npmInstall(folder);
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
  const { integrity, packages } = readLockFile(lock, tool);
  const commands = await readCommands(folder, tool);
  await mkdir(join(folder, 'bin'));
  for (const [command, program] of Object.entries(commands)) await writeLauncher(folder, tool, command, program);
  const installed: InstalledTool = {
    ...tool,
    integrity,
    lock_digest: digestOfText(lock),
    tree_digest: await treeDigest(folder),
    packages,
    commands,
    installed_at: new Date().toISOString(),
  };
  await writeFile(join(folder, RECORD), `${JSON.stringify(installed, null, 2)}\n`);
  return installed;
}

/** The commands of a package, each with its program relative to the folder. A path that leads out of the package is refused. */
async function readCommands(folder: string, { name, version }: ToolPackage): Promise<Record<string, string>> {
  const home = join('node_modules', name);
  const description: unknown = JSON.parse(await readFile(join(folder, home, 'package.json'), 'utf8'));
  const bin = isJsonObject(description) ? description['bin'] : undefined;
  const named =
    typeof bin === 'string' ? { [name.slice(name.lastIndexOf('/') + 1)]: bin } : isJsonObject(bin) ? bin : {};
  const commands: Record<string, string> = {};
  for (const [command, path] of Object.entries(named)) {
    const inside = typeof path === 'string' ? normalize(path) : '..';
    if (!COMMAND.test(command) || isAbsolute(inside) || inside.startsWith('..'))
      throw new SandgateError('invalid_request', `the command ${command} of ${name} is not one that can be offered`);
    commands[command] = join(home, inside);
  }
  if (Object.keys(commands).length === 0)
    throw new SandgateError('invalid_request', `${toolPackageText({ name, version })} has no command to start`);
  return commands;
}

/** Packages do not say how to start them; a launcher gives every command one path, whatever the program is written in. */
async function writeLauncher(folder: string, tool: ToolPackage, command: string, program: string): Promise<void> {
  const inside = `${TOOLS_INSIDE}/${tool.name}/${tool.version}/${program}`;
  const isNode = await isJavaScript(join(folder, program));
  if (!isNode) await chmod(join(folder, program), 0o755);
  const words = (isNode ? [NODE_INSIDE, inside] : [inside]).map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const text = `#!/bin/sh\n# ${commandInside(tool, command)}\nexec ${words.join(' ')} "$@"\n`;
  await writeFile(join(folder, 'bin', command), text, { mode: 0o755 });
}

/** Whether Node runs the program: by its name, or by its first line. */
export async function isJavaScript(path: string): Promise<boolean> {
  if (JAVASCRIPT.has(extname(path))) return true;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(256), position: 0 });
  const [first = ''] = buffer.subarray(0, bytesRead).toString('latin1').split('\n');
  return first.startsWith('#!') && /\bnode\b/.test(first);
}
