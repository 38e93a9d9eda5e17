import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../../domain/json.js';
import { isMissing } from '../../../domain/system-error.js';
import { isToolPackage, type ToolPackage } from '../../../domain/tools/tool-package.js';
import { foldersIn } from '../../host/folders.js';
import { RECORD } from '../npm/tree-digest.js';

/** What was recorded of a package when it was installed; its file is `sandgate.json` in the package's folder. */
export interface InstalledTool extends ToolPackage {
  /** Of the package itself, as the lock file has it. */
  integrity: string;
  /** `sha256:` over the lock file, which pins every dependency with its integrity. */
  lock_digest: string;
  /** `sha256:` over paths, modes and contents of all files. */
  tree_digest: string;
  packages: number;
  /** Each command with its program, relative to the package's folder. */
  commands: Record<string, string>;
  installed_at: string;
}

/** Holds every installed package; becomes `/opt/sandgate/tools`, read-only. */
export function toolsFolder(dataDir: string): string {
  return join(dataDir, 'tools');
}

export function packageFolder(dataDir: string, { name, version }: ToolPackage): string {
  return join(toolsFolder(dataDir), name, version);
}

/** What was recorded of the package, or null when it is not installed. @throws Error for a record that is damaged */
export async function readInstalled(dataDir: string, tool: ToolPackage): Promise<InstalledTool | null> {
  const path = join(packageFolder(dataDir, tool), RECORD);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const record: unknown = JSON.parse(text);
  if (!isJsonObject(record) || record['name'] !== tool.name || record['version'] !== tool.version)
    throw new Error(`${path} is damaged`);
  return record as unknown as InstalledTool;
}

/** Every installed package, by name and version. */
export async function listInstalled(dataDir: string): Promise<InstalledTool[]> {
  const found: InstalledTool[] = [];
  const root = toolsFolder(dataDir);
  for (const first of await foldersIn(root)) {
    const names = first.startsWith('@')
      ? (await foldersIn(join(root, first))).map((rest) => `${first}/${rest}`)
      : [first];
    for (const name of names) {
      for (const version of await foldersIn(join(root, name))) {
        const tool = isToolPackage({ name, version }) ? await readInstalled(dataDir, { name, version }) : null;
        if (tool !== null) found.push(tool);
      }
    }
  }
  return found;
}
