import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Audience } from '../../../src/core/runs/tokens.js';
import { ROLES, type Role } from '../../../src/domain/identity/role.js';

/** Who gets past the door of a route, as the committed docs/roles.md says it. */
export interface MatrixRow {
  /** `GET /v1/agents/:id` */
  route: string;
  opens: 'public' | 'operator' | 'trigger' | 'permission' | 'nobody';
  permission: string | null;
  /** What whoever lacks a browser session gets; null where none is needed. */
  withoutBrowser: number | null;
  roles: ReadonlySet<Role>;
  operator: boolean;
}

const ROW = /^\| `([A-Z]+ \S+)` \| (.*?) \| (.*) \|$/;
const PERMISSION = /^([a-z]+\.[a-z]+)(?:, \*browser\* or (\d{3}))?$/;

/** The rows of docs/roles.md by their routes. */
export function readRolesMatrix(): Map<string, MatrixRow> {
  const rows = linesOf('docs/roles.md').flatMap((line) => {
    const [, route = '', need = '', marks = ''] = ROW.exec(line) ?? [];
    return route === '' ? [] : [rowOf(route, need, marks.split('|'))];
  });
  return new Map(rows.map((row) => [row.route, row]));
}

function rowOf(route: string, need: string, marks: string[]): MatrixRow {
  const isMarked = marks.map((mark) => mark.trim() === '·');
  const [, permission = null, refusal] = PERMISSION.exec(need) ?? [];
  return {
    route,
    opens: permission === null ? opensTo(need) : 'permission',
    permission,
    withoutBrowser: refusal === undefined ? null : Number(refusal),
    roles: new Set(ROLES.filter((_, column) => isMarked[column])),
    operator: isMarked[ROLES.length] === true,
  };
}

function opensTo(need: string): MatrixRow['opens'] {
  if (need.startsWith('nothing: ')) return 'public';
  if (need === 'the admin token') return 'operator';
  return need === "the trigger's token" ? 'trigger' : 'nobody';
}

/** The audience of each route of the runner plane, as docs/runner-contract.md says it. */
export function readRunnerAudiences(): Map<string, Audience> {
  const rows = linesOf('docs/runner-contract.md').flatMap((line) => {
    const [, method, path, short, audience] = /^\| (GET|POST) \| `(\S+)` \| (?:`(\S+)` )?\| (\w+) \|/.exec(line) ?? [];
    const paths = [path, short].filter((text) => text !== undefined);
    return paths.map((text) => [`${method} ${text.replace('{id}', ':id')}`, audience as Audience] as const);
  });
  return new Map(rows);
}

/** The permissions of each role, and those that the operator lacks, as docs/design/identity.md sets them down. */
export function readDesignedRights(): { of: Record<Role, Set<string>>; notOperators: Set<string> } {
  const of = {
    member: new Set<string>(),
    approver: new Set<string>(),
    admin: new Set<string>(),
    owner: new Set<string>(),
  };
  const notOperators = new Set<string>();
  for (const line of linesOf('docs/design/identity.md')) {
    const [, least = '', names = ''] = /^\| (no operator|member|approver|admin) \| (`.*`) \|$/.exec(line) ?? [];
    const permissions = names.match(/[a-z]+\.[a-z]+/g) ?? [];
    const from = ROLES.indexOf(least as Role);
    const holders =
      least === 'no operator' ? [notOperators] : ROLES.slice(from === -1 ? ROLES.length : from).map((role) => of[role]);
    for (const holder of holders) for (const permission of permissions) holder.add(permission);
  }
  return { of, notOperators };
}

function linesOf(path: string): string[] {
  return readFileSync(join(process.cwd(), path), 'utf8').split('\n');
}
