import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NamingPlace } from '../../support/identity/addressed-requests.js';
import { isSilent, placeName } from '../../support/identity/live-places.js';
import type { AskedAnswer } from '../../support/identity/place-asker.js';
import { TwoOrganizations } from '../../support/identity/two-organizations.js';

/** Shorter values occur by chance. */
const TELLING_CHARS = 12;
/** Half a minute where nothing else runs; ends what hangs on a machine however busy. */
const BUSY_MACHINE_MS = 900_000;
const REFUSED = [401, 403, 404];

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
}, BUSY_MACHINE_MS);
afterAll(() => two.close());

/** What of the victim's an answer says beyond what was sent. */
function told(text: string, sent = ''): string[] {
  const telling = two.foreign.filter(({ value }) => value.length >= TELLING_CHARS && !sent.includes(value));
  return telling.filter(({ value }) => text.includes(value)).map(({ kind }) => kind);
}

describe('proof 12: two organizations', () => {
  it('every place of a request that names a row is known by what it answers about an own one', () => {
    const named = two.places.filter(
      ({ route, in: where, isUuid }) => route.plane !== 'runner' && (where === 'path' || isUuid),
    );
    const silent = named.filter((place) => two.live(place) === undefined);
    expect(silent.filter((place) => !isSilent(place)).map(placeName)).toEqual([]);
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

  it(
    'CP-030 CP-257 CP-302 CP-303 ids and names of the other are answered like those of nothing, on every route, and change nothing',
    async () => {
      const before = await two.victimRows();
      const tries = two.tries();
      const answers: Record<'foreign' | 'absent', AskedAnswer[]> = { foreign: [], absent: [] };
      const added = await two.rowsAddedBy(async () => {
        for (const one of tries) answers.foreign.push(await two.ask(one, 'foreign'));
      });
      const addedForNothing = await two.rowsAddedBy(async () => {
        for (const one of tries) answers.absent.push(await two.ask(one, 'absent'));
      });
      const wrong: string[] = [];
      for (const [at, one] of tries.entries()) {
        const { status, compared, text } = answers.foreign[at] ?? (await two.ask(one, 'foreign'));
        const what = `${placeName(one.place)}, ${one.foreign.kind}`;
        if (compared !== answers.absent[at]?.compared) {
          // Lists may have grown meanwhile.
          const [now, ofNothing] = [await two.ask(one, 'foreign'), await two.ask(one, 'absent')];
          if (now.compared !== ofNothing.compared)
            wrong.push(`${what}: ${now.compared.slice(0, 400)} instead of ${ofNothing.compared.slice(0, 400)}`);
        }
        if (one.place.in !== 'path') continue;
        if (one.isMeant && !REFUSED.includes(status)) wrong.push(`${what}: ${compared}`);
        const leaked = told(text, one.foreign.value);
        if (leaked.length > 0) wrong.push(`${what}: tells ${leaked.join(', ')}`);
      }
      expect(wrong).toEqual([]);
      expect(added).toEqual(addedForNothing);
      expect(await two.victimRows()).toEqual(before);
      expect(tries.length).toBeGreaterThan(1500);
    },
    BUSY_MACHINE_MS,
  );

  it('positive control: what the victim does itself is seen in its rows', async () => {
    const before = await two.victimRows();
    const { owner } = two.victim;
    const added = await two.rowsAddedBy(async () => {
      const body = { from: 'default', name: 'another' };
      const { status } = await two.api.post('/v1/policies/clone', body, { token: owner.token });
      expect(status).toBe(200);
    });
    expect(added).toEqual(expect.objectContaining({ policies: 1, policy_versions: 1 }));
    const after = await two.victimRows();
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    expect(changed).toEqual(expect.arrayContaining(['policies', 'policy_versions']));
  });
});
