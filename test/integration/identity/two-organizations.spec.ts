import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NamingPlace } from '../../support/identity/addressed-requests.js';
import { AbsentAnswers } from '../../support/identity/live-places.js';
import { givesName, TwoOrganizations } from '../../support/identity/two-organizations.js';

/** Members of requests that name rows, of which an answer says nothing: what is named is looked for later, or never. */
const SILENT: Record<string, string> = {
  'body default_workspace.connection_id': 'a revision is written without it; each run of the agent asks for it',
  'body default_workspace.id': 'an upload is for one run, and no default of an agent',
  'POST /v1/auth/switch/:id path id': 'a switch without the cookie of the browser that began it is the same page whatever it is',
  'POST /v1/triggers body workspace.id': 'an upload is for one run, and no workspace of a trigger',
};
/** Shorter values occur by chance. */
const TELLING_CHARS = 12;

const NOTHING_NAMED = {
  place: '',
  in: 'body',
  name: '',
  numbers: [],
  required: [],
  isUuid: false,
  bodies: [],
} as const;

let two: TwoOrganizations;
beforeAll(async () => {
  two = await TwoOrganizations.start();
});
afterAll(() => two.close());

const nameOf = ({ route, place }: NamingPlace): string => `${route.method} ${route.path} ${place}`;

/** What of the victim's an answer says beyond what was sent. */
function told(text: string, sent = ''): string[] {
  const telling = two.foreign.filter(({ value }) => value.length >= TELLING_CHARS && !sent.includes(value));
  return telling.filter(({ value }) => text.includes(value)).map(({ kind }) => kind);
}

/**
 * Paths first, and deleting first of those: nothing has been made yet that could be taken for the victim's. Names of new things last,
 * each once: the intruder has something of that name then.
 */
function inOrder(places: readonly NamingPlace[]): NamingPlace[] {
  const rank = (place: NamingPlace): number => {
    if (place.in === 'path') return ['DELETE', 'GET'].indexOf(place.route.method) + 1 || 3;
    return givesName(place) ? 5 : 4;
  };
  return places.toSorted((a, b) => rank(a) - rank(b));
}

describe('proof 12: two organizations', () => {
  it('every place of a request that names a row is known by what it answers about an own one', () => {
    const named = two.places.filter(
      ({ route, in: where, isUuid }) => route.plane !== 'runner' && (where === 'path' || isUuid),
    );
    const silent = named.filter((place) => two.live(place) === undefined);
    const unexplained = silent.filter(
      (place) => SILENT[place.place] === undefined && SILENT[nameOf(place)] === undefined,
    );
    expect(unexplained.map(nameOf)).toEqual([]);
    expect(named.length - silent.length).toBeGreaterThan(50);
  });

  it('CP-030 CP-303 lists hold nothing of the other', async () => {
    const lists = two.routes.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
    for (const route of lists) {
      const none: NamingPlace = { ...NOTHING_NAMED, route };
      const { text } = await two.intruder.ask(none, 0, '');
      expect([route.path, told(text)]).toEqual([route.path, []]);
    }
    expect(lists.length).toBeGreaterThan(8);
  });

  it('CP-030 CP-257 CP-302 CP-303 ids and names of the other are answered like those of nothing, on every route, and change nothing', async () => {
    const before = await two.victimRows();
    const wrong: string[] = [];
    const taken = new Set<string>();
    let count = 0;
    for (const place of inOrder(two.places)) {
      const body = two.live(place)?.body ?? 0;
      const absent = new AbsentAnswers(two.intruder, place, body);
      for (const foreign of two.triedAt(place)) {
        const { kind, value } = foreign;
        if (givesName(place) && taken.size === taken.add(value).size) continue;
        count++;
        const { compared, text } = await two.intruder.ask(place, body, value);
        if (!(await absent.include(compared, foreign))) {
          wrong.push(
            `${nameOf(place)}, ${kind}: ${compared.slice(0, 300)} instead of ${(await absent.ask(foreign)).slice(0, 300)}`,
          );
        }
        const leaked = place.in === 'path' ? told(text, value) : [];
        if (leaked.length > 0) wrong.push(`${nameOf(place)}, ${kind}: tells ${leaked.join(', ')}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await two.victimRows()).toEqual(before);
    expect(count).toBeGreaterThan(3000);
  });

  it('positive control: what the victim does itself is seen in its rows', async () => {
    const before = await two.victimRows();
    const { owner } = two.victim;
    const { status } = await two.api.post(
      '/v1/policies/clone',
      { from: 'default', name: 'another' },
      { token: owner.token },
    );
    expect(status).toBe(200);
    const after = await two.victimRows();
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    expect(changed).toEqual(expect.arrayContaining(['policies', 'policy_versions']));
  });
});
