import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { OpenApiHolder } from '../../../src/api/openapi/openapi-holder.js';
import type { DescribedRequests } from '../../../src/api/openapi/schema.js';
import { startApi, type TestApi } from '../api/api.js';
import { connectionSettings } from '../connections/connections-api.js';
import { namingPlaces, type NamingPlace } from './addressed-requests.js';
import { firstOfEach, ownNames, rowsOf, type NamingValue } from './foreign-ids.js';
import { guardedRoutes, type GuardedRoute } from './guarded-routes.js';
import { PlaceDiscovery, type LivePlace } from './live-places.js';
import { isOperators, PlaceAsker, type NthOfKind } from './place-asker.js';
import { plantOrganization, type PlantedOrganization } from './planted-organization.js';

/**
 * An intruder and a victim, in whose organizations stands the same. A third one is used up beforehand, to find out which rows each
 * place of each route names.
 */
export class TwoOrganizations {
  private constructor(
    readonly api: TestApi,
    readonly routes: readonly GuardedRoute[],
    readonly places: readonly NamingPlace[],
    private readonly discovery: PlaceDiscovery,
    /** Asks as the intruder. */
    readonly intruder: PlaceAsker,
    readonly victim: PlantedOrganization,
    /** What names rows of the victim. */
    readonly foreign: readonly NamingValue[],
  ) {}

  static async start(): Promise<TwoOrganizations> {
    const api = await startApi(connectionSettings(), [InternalModule]);
    const description = JSON.parse(api.app.get(OpenApiHolder).json) as DescribedRequests;
    const routes = guardedRoutes(api).routes.filter(hasCaller);
    const places = namingPlaces(routes, description);
    const twin = await plantOrganization(api, 'twin');
    const intruder = await plantOrganization(api, 'intruder');
    const victim = await plantOrganization(api, 'victim');
    const ids = [twin, intruder, victim].map(({ organizationId }) => organizationId);
    const [known = [], own = [], foreign = []] = await ownNames(api.database, ids);
    const parameters = new Map<string, NthOfKind>();
    const discovery = new PlaceDiscovery(new PlaceAsker(api, twin, known, parameters), known, parameters);
    await discovery.run(places);
    const asker = new PlaceAsker(api, intruder, own, parameters);
    const asked = places.filter((place) => !selectsOrganization(place, discovery));
    return new TwoOrganizations(api, routes, asked, discovery, asker, victim, foreign);
  }

  live(place: NamingPlace): LivePlace | undefined {
    return this.discovery.live.find((one) => one.place === place);
  }

  /** The victim's rows that are tried at a place: of every kind where ids are meant, else whatever has an address or a name. */
  triedAt(place: NamingPlace): readonly NamingValue[] {
    // The operator may name organizations; what is asked for here is what belongs to another one than that of the path.
    const foreign = this.foreign.filter(({ kind }) => !isOperators(place.route) || !kind.startsWith('tenants.'));
    if (place.in === 'path') return firstOfEach(foreign, 2);
    const first = firstOfEach(foreign, 1);
    if (place.isUuid) return first.filter(({ isUuid }) => isUuid);
    const live = this.live(place);
    if (givesName(place)) return foreign.filter(({ kind }) => kind === live?.kind);
    // Where the own rows make no difference, a text is a text.
    return live === undefined ? first.filter(({ isUuid }) => !isUuid).slice(0, 1) : this.discovery.addressable(first);
  }

  /** Rows of the victim, and of nobody: how many, and what they hold. */
  victimRows(): Promise<Record<string, string>> {
    return rowsOf(this.api.database, this.victim.organizationId);
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

/** Gives what is made its name: chosen by the caller, who then has one of that name. */
export function givesName({ place }: NamingPlace): boolean {
  return place === 'body name' || place === 'body slug';
}

/** Whoever calls a public route is of no organization, the operator is of all, and HEAD has the handler of GET. */
function hasCaller(route: GuardedRoute): boolean {
  if (route.method === 'HEAD') return false;
  return isOperators(route) ? route.path.includes(':') : route.plane === 'runner' || route.row.opens !== 'public';
}

function selectsOrganization(place: NamingPlace, discovery: PlaceDiscovery): boolean {
  const kind = discovery.live.find((one) => one.place === place)?.kind;
  return isOperators(place.route) && place.in === 'path' && kind?.startsWith('tenants.') === true;
}
