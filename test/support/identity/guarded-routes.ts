import { declaredRoutes } from '../../../src/api/auth/declared-routes.js';
import { RouteTable } from '../../../src/api/http/route-table.js';
import type { Audience } from '../../../src/core/runs/tokens.js';
import type { TestApi } from '../api/api.js';
import { readRolesMatrix, readRunnerAudiences, type MatrixRow } from './roles-matrix.js';

/** A route of the route table and who opens it. */
export type GuardedRoute = { method: string; path: string } & (
  | { plane: 'public'; row: MatrixRow }
  | { plane: 'runner'; audience: Audience }
);

const matrix = readRolesMatrix();
const audiences = readRunnerAudiences();

/** The routes of which docs/roles.md and docs/runner-contract.md say who opens them. */
export function documentedRoutes(): string[] {
  return [...matrix.keys(), ...audiences.keys()];
}

/** The routes that the server has, each with who opens it; those of which no document says that are apart. */
export function guardedRoutes(api: TestApi): { routes: GuardedRoute[]; undeclared: string[] } {
  const declared = new Map(
    declaredRoutes(api.app).map((route) => [`${route.method} ${route.path}`, route.admission.by]),
  );
  const routes: GuardedRoute[] = [];
  const undeclared: string[] = [];
  for (const name of api.app.get(RouteTable).names()) {
    const [method = '', path = ''] = name.split(' ');
    const asked = `${method === 'HEAD' ? 'GET' : method} ${path}`;
    const row = matrix.get(asked);
    const audience = audiences.get(asked) ?? audiences.get(`${asked}/*`);
    if (audience !== undefined) routes.push({ method, path, plane: 'runner', audience });
    else if (row !== undefined && row.opens !== 'nobody' && (declared.get(asked) ?? 'nothing') !== 'nothing') {
      routes.push({ method, path, plane: 'public', row });
    } else undeclared.push(name);
  }
  return { routes, undeclared };
}
