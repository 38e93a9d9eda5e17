import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { CheckInfo } from './check.js';
import { SCENARIOS } from './runner/scenarios/index.js';
import { LISTENER_CHECKS } from './server/listener.js';
import { ROUTES } from './server/scenes/audiences.js';
import { SCENES } from './server/scenes/index.js';

const CHECKS: readonly CheckInfo[] = [
  ...LISTENER_CHECKS,
  ...SCENES.flatMap(({ checks }) => checks),
  ...SCENARIOS.flatMap(({ obligations }) => obligations),
];
const reference = readFileSync('docs/runner-contract.md', 'utf8');
const sections = new Map(reference.split(/^## /m).map((text) => [Number.parseInt(text, 10), text] as const));

/** The routes of the runner plane, as their classes declare them. */
function declaredRoutes(): { method: string; path: string; audience: string }[] {
  return globSync('src/api/internal/**/*.endpoint.ts').map((file) => {
    const source = readFileSync(file, 'utf8');
    const member = (pattern: RegExp): string => pattern.exec(source)?.[1] ?? `nothing in ${file}`;
    return {
      method: member(/readonly method = '(\w+)'/),
      path: member(/readonly path = '([^']+)'/),
      audience: member(/audience: '(\w+)'/),
    };
  });
}

describe('docs/runner-contract.md', () => {
  it('has every check beside its rule, in the section that the check names', () => {
    const missing = CHECKS.filter(({ id, section }) => sections.get(section)?.includes(`\`${id}\``) !== true);
    expect(missing.map(({ id, section }) => `${id} in section ${section}`)).toEqual([]);
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length);
  });

  it('names no check that there is not', () => {
    const named = [...reference.matchAll(/`([a-z]+\/[a-z-]+)`/g)].map(([, id]) => id);
    const paths = new Set(['token/renew', 'application/gzip', 'tools/call']);
    expect(named.filter((id) => !paths.has(id ?? '') && !CHECKS.some((check) => check.id === id))).toEqual([]);
  });

  it('describes every route of the runner plane with its audience, and the kit tries them all', () => {
    const routes = declaredRoutes();
    const registered = /const ENDPOINTS[^=]*= \[([^\]]*)\]/.exec(
      readFileSync('src/api/internal/internal.module.ts', 'utf8'),
    );
    expect(routes).toHaveLength(registered?.[1]?.match(/\w+Endpoint/g)?.length ?? 0);
    for (const { method, path, audience } of routes) {
      const row = path.startsWith('/llm')
        ? `| ${method} | \`/internal${path}\` | | ${audience} |`
        : `| ${method} | \`/internal/sessions/{id}${path}\` | \`/internal${path}\` | ${audience} |`;
      expect(reference).toContain(row);
      const tried = ROUTES.find(({ paths }) =>
        paths.some((one) => one.startsWith(`/internal${path.replace('/*', '')}`)),
      );
      expect({ path, method: tried?.method, audience: tried?.audience }).toEqual({ path, method, audience });
    }
  });
});
