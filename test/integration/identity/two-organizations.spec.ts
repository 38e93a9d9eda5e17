import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenApiHolder } from '../../../src/api/openapi/openapi-holder.js';
import type { DescribedRequests } from '../../../src/api/openapi/schema.js';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { startApi, type TestApi } from '../../support/api/api.js';
import { connectionSettings } from '../../support/connections/connections-api.js';
import { namingPlaces, type NamingPlace } from '../../support/identity/addressed-requests.js';
import { firstOfEach, ownNames, rowsOf, type NamingValue } from '../../support/identity/foreign-ids.js';
import { guardedRoutes, type GuardedRoute } from '../../support/identity/guarded-routes.js';
import { AbsentAnswers, PlaceDiscovery } from '../../support/identity/live-places.js';
import { PlaceAsker, type NthOfKind } from '../../support/identity/place-asker.js';
import { plantOrganization, type PlantedOrganization } from '../../support/identity/planted-organization.js';

let api: TestApi;
let places: NamingPlace[];
let discovery: PlaceDiscovery;
let asker: PlaceAsker;
let victim: PlantedOrganization;
let foreign: NamingValue[];

/** Three organizations with the same in each: one is found out about, one asks, and one is asked about. */
beforeAll(async () => {
  api = await startApi(connectionSettings(), [InternalModule]);
  const description = JSON.parse(api.app.get(OpenApiHolder).json) as DescribedRequests;
  places = namingPlaces(guardedRoutes(api).routes.filter(hasCaller), description);
  const twin = await plantOrganization(api, 'twin');
  const intruder = await plantOrganization(api, 'intruder');
  victim = await plantOrganization(api, 'victim');
  const [known = [], own = [], theirs = []] = await ownNames(
    api.database,
    [twin, intruder, victim].map(({ organizationId }) => organizationId),
  );
  const parameters = new Map<string, NthOfKind>();
  discovery = new PlaceDiscovery(new PlaceAsker(api, twin, known, parameters), known, parameters);
  const t = Date.now();
  await discovery.run(places);
  process.stderr.write(`discovery ${Date.now() - t} ${known.length} ${places.length}\n`);
  const live = new Set(discovery.live.map(({ place }) => place));
  process.stderr.write(
    discovery.live
      .map(({ place, kind, body }) => `${place.route.method} ${place.route.path} ${place.place} ${kind} ${body}`)
      .join('\n'),
  );
  process.stderr.write(
    '\nDEAD\n' +
      places
        .filter((place) => !live.has(place) && (place.in === 'path' || place.isUuid))
        .map((place) => `${place.route.method} ${place.route.path} ${place.place} ${place.bodies.length}`)
        .join('\n'),
  );
  asker = new PlaceAsker(api, intruder, own, parameters);
  foreign = theirs;
});
afterAll(() => api.close());

/** Whoever calls a public route is of no organization, and HEAD has the handler of GET. */
function hasCaller(route: GuardedRoute): boolean {
  return route.method !== 'HEAD' && (route.plane === 'runner' || route.row.opens !== 'public');
}

/** The victim's rows that are tried at a place: of every kind where ids are meant, else whatever has an address or a name. */
function asked(place: NamingPlace): NamingValue[] {
  const first = firstOfEach(foreign, 1);
  if (place.in === 'path') return firstOfEach(foreign, 2);
  if (place.isUuid) return first.filter(({ isUuid }) => isUuid);
  const isLive = discovery.live.some((one) => one.place === place);
  return isLive ? discovery.addressable(first) : first.filter(({ isUuid }) => !isUuid);
}

describe('two organizations', () => {
  it('CP-030', async () => {
    const before = await rowsOf(api.database, victim.organizationId);
    const wrong: string[] = [];
    let n = 0;
    const t = Date.now();
    for (const place of places) {
      const body = discovery.live.find((one) => one.place === place)?.body ?? 0;
      const absent = new AbsentAnswers(asker, place, body);
      for (const value of asked(place)) {
        n++;
        const { compared } = await asker.ask(place, body, value.value);
        if (!(await absent.include(compared, value)))
          wrong.push(
            `${place.route.method} ${place.route.path} ${place.place} ${value.kind}: ${compared.slice(0, 200)} / ${absent.last(value).slice(0, 200)}`,
          );
      }
    }
    process.stderr.write(`fuzz ${n} ${Date.now() - t} ${foreign.length}\n`);
    expect(wrong).toEqual([]);
    expect(await rowsOf(api.database, victim.organizationId)).toEqual(before);
  });
});
