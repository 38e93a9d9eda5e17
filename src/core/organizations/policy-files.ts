import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../domain/json.js';
import { canonicalPolicy } from '../../domain/policy/canonical-form.js';
import { isReservedPolicyName } from '../../domain/policy/policy-name.js';
import { validatePolicyYaml } from '../../domain/policy/policy-yaml.js';
import { installationFolder } from '../../platform/host/installation-folder.js';

/** A policy as a file of the installation has it. */
export type PolicyFile = { file: string; name: string } & (
  | { problem: null; yaml: string; content: JsonObject }
  | { problem: string }
);

const KEPT_FILES = 64;

/** What files hold, by their text: every organization is made from the same ones, and reading them takes a tenth of a second. */
const readings = new LRUCache<string, PolicyFile, { file: string; yaml: string }>({
  max: KEPT_FILES,
  memoMethod: (_key, _stale, { context }) => readPolicyText(context),
});

/** Every `*.yaml` directly in the folder, by name, read strictly: a file is named after the policy that it holds (docs/design/policy.md). */
export async function readPolicyFiles(folder: string): Promise<PolicyFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort();
  return Promise.all(files.map((file) => readPolicyFile(folder, file)));
}

async function readPolicyFile(folder: string, file: string): Promise<PolicyFile> {
  const yaml = await readFile(join(folder, file), 'utf8');
  return readings.memo(`${file}\n${yaml}`, { context: { file, yaml } });
}

function readPolicyText({ file, yaml }: { file: string; yaml: string }): PolicyFile {
  const name = file.slice(0, -'.yaml'.length);
  const { document, errors } = validatePolicyYaml(yaml);
  if (document === null) return { file, name, problem: errors.join('; ') };
  if (document.name !== name) return { file, name, problem: `it holds the policy ${document.name}, not ${name}` };
  return { file, name, problem: null, yaml, content: canonicalPolicy(document) };
}

/** Names that no file may have, whatever it holds. */
export function reservedAmong(files: readonly PolicyFile[]): PolicyFile | undefined {
  return files.find(({ name }) => isReservedPolicyName(name));
}

/** The folder `policies` of the package, from the sources as from the built output. */
export function policiesFolder(): string {
  return installationFolder('policies', 'default.yaml');
}
