import type { Audience } from '../../../src/core/runs/tokens.js';
import type { Standing } from './credential-cases.js';
import type { GuardedRoute } from './guarded-routes.js';
import type { MatrixRow } from './roles-matrix.js';

/** What the door says: past it, whatever is answered there, or the status of its refusal. */
export type Verdict = 'admitted' | 400 | 401 | 403;

const READING = ['GET', 'HEAD'];

/** Whether requests to the route change something. */
export function changes({ method }: Pick<GuardedRoute, 'method'>): boolean {
  return !READING.includes(method);
}

/** The answer of docs/roles.md and docs/runner-contract.md to a caller, by the rules of docs/design/identity.md. */
export function expectedVerdict(route: GuardedRoute, standing: Standing, requireSso: boolean): Verdict {
  if (route.plane === 'runner') return ofRunnerPlane(route.audience, standing);
  const { row } = route;
  if (row.opens === 'public') return 'admitted';
  if (standing.as === 'both') return 400;
  if (row.opens !== 'permission') return standing.as === row.opens ? 'admitted' : 401;
  if (standing.as === 'operator') return requireSso ? 401 : ofOperator(row);
  return standing.as === 'person' ? ofPerson(route, row, standing) : 401;
}

/** The audience comes first, then whether the token lives, then whether it came alone. */
function ofRunnerPlane(audience: Audience, standing: Standing): Verdict {
  const its = standing.as === 'runner' ? standing.audience : standing.as === 'both' ? standing.runner : null;
  if (its === null) return 401;
  if (its !== audience) return 403;
  if (standing.as === 'both') return 400;
  return standing.as === 'runner' && standing.live ? 'admitted' : 401;
}

function ofOperator({ withoutBrowser, operator }: MatrixRow): Verdict {
  if (withoutBrowser !== null) return withoutBrowser as Verdict;
  return operator ? 'admitted' : 403;
}

function ofPerson(route: GuardedRoute, row: MatrixRow, person: Extract<Standing, { as: 'person' }>): Verdict {
  if (changes(route) && !person.sameSite) return 403;
  if (row.withoutBrowser !== null && person.by === 'token') return row.withoutBrowser as Verdict;
  return row.roles.has(person.role) ? 'admitted' : 403;
}

/** 400s of the door; behind it there are others. */
const REFUSED_SHAPE = /not both|cannot be combined|needs a browser session/;

interface Shown {
  status: number;
  text: string;
  contentType: string;
}

/** Whether an answer is that of the verdict. Nothing behind the door answers 401 or 403 to a request about nothing. */
export function shows(verdict: Verdict, route: GuardedRoute, { status, text, contentType }: Shown): boolean {
  // Pages of public routes have rules of their own; the door answers in JSON.
  const isPage = route.plane === 'public' && route.row.opens === 'public' && contentType.startsWith('text/html');
  if (isPage) return status < 500;
  // An answer to HEAD has no words.
  const isRefusedShape = status === 400 && (route.method === 'HEAD' ? verdict === 400 : REFUSED_SHAPE.test(text));
  if (verdict !== 'admitted') return status === verdict && (verdict !== 400 || isRefusedShape);
  return ![401, 403].includes(status) && !isRefusedShape && (status < 500 || status === 503);
}
