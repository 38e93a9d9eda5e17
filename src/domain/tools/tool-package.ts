import { SandgateError } from '../errors.js';
import type { FrozenServer } from '../run/spec.js';

/** A package of the npm registry at one exact version. */
export interface ToolPackage {
  name: string;
  version: string;
}

/** Where installed packages stand inside every sandbox (docs/design/tools.md). */
export const TOOLS_INSIDE = '/opt/sandgate/tools';

const NAME = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;
const VERSION = /^[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?$/;
const MAX_NAME_CHARS = 214;
const MAX_VERSION_CHARS = 256;

/**
 * Reads `npm:<name>@<version>`. A range or a tag is refused: what an agent may run is named exactly.
 * @throws SandgateError `invalid_request`
 */
export function parseToolPackage(text: string): ToolPackage {
  const rest = text.startsWith('npm:') ? text.slice('npm:'.length) : '';
  const at = rest.lastIndexOf('@');
  const found = at > 0 ? { name: rest.slice(0, at), version: rest.slice(at + 1) } : null;
  if (found !== null && isToolPackage(found)) return found;
  throw new SandgateError(
    'invalid_request',
    `${text.slice(0, 300)}: must be npm:<name>@<version> with an exact version, for example npm:@scope/server@1.2.3`,
  );
}

export function isToolPackage({ name, version }: ToolPackage): boolean {
  return (
    NAME.test(name) && name.length <= MAX_NAME_CHARS && VERSION.test(version) && version.length <= MAX_VERSION_CHARS
  );
}

export function toolPackageText({ name, version }: ToolPackage): string {
  return `npm:${name}@${version}`;
}

/** The program of a package's command as a bundle names it. */
export function commandInside({ name, version }: ToolPackage, command: string): string {
  return `${TOOLS_INSIDE}/${name}/${version}/bin/${command}`;
}

/** A path below {@link TOOLS_INSIDE}, apart by the package that it belongs to. */
export interface ToolPath {
  path: string;
  /** Null when the path names no package at an exact version. */
  owner: ToolPackage | null;
  /** The path inside the package's folder. */
  rest: string;
}

/** Everything below {@link TOOLS_INSIDE} that a server's command or arguments name. */
export function toolPathsOf(servers: readonly Pick<FrozenServer, 'command' | 'args'>[]): ToolPath[] {
  const named = servers.flatMap(({ command, args }) => [command, ...args]);
  return [...new Set(named)].filter((path) => path.startsWith(`${TOOLS_INSIDE}/`)).map(parseToolPath);
}

function parseToolPath(path: string): ToolPath {
  const parts = path.slice(TOOLS_INSIDE.length + 1).split('/');
  const scoped = parts[0]?.startsWith('@') === true ? 2 : 1;
  const owner = { name: parts.slice(0, scoped).join('/'), version: parts[scoped] ?? '' };
  const rest = parts.slice(scoped + 1).join('/');
  return { path, owner: isToolPackage(owner) && !rest.split('/').includes('..') ? owner : null, rest };
}
