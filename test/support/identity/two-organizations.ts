import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { OpenApiHolder } from '../../../src/api/openapi/openapi-holder.js';
import type { DescribedRequests } from '../../../src/api/openapi/schema.js';
import { startApi, type TestApi } from '../api/api.js';
import { connectionSettings } from '../connections/connections-api.js';
import { IS_NIGHTLY } from '../nightly/nightly.js';
import { namingPlaces, type NamingPlace } from './addressed-requests.js';
import { countRows, firstOfEach, ownNames, rowsOf, type NamingValue } from './foreign-ids.js';
import { guardedRoutes, type GuardedRoute } from './guarded-routes.js';
import { PlaceDiscovery, type LivePlace } from './live-places.js';
import { absentLike, isOperators, PlaceAsker, type AskedAnswer, type NthOfKind } from './place-asker.js';
import { plantOrganization, type PlantedOrganization } from './planted-organization.js';

/** How many times as much the nightly campaign tries of what a place does not mean. */
const NIGHTLY_TIMES = 3;

/** A value of the victim at a place of a request of the intruder. */
export interface Try {
  place: NamingPlace;
  /** Which of the place's bodies. */
  body: number;
  foreign: NamingValue;
  /** Whether the place names rows of that kind. */
  isMeant: boolean;
}

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

  /**
   * Every place with everything of the victim that is tried there. Paths first, and deleting first of those: nothing has been made yet
   * that could be taken for the victim's. Names of new things last, each once: the intruder has something of that name then.
   */
  tries(): Try[] {
    const taken = new Set<string>();
    return this.places.toSorted(byDamage).flatMap((place, at) => {
      const live = this.live(place);
      const foreign = this.triedAt(place).filter(
        ({ value }) => !givesName(place) || taken.size < taken.add(value).size,
      );
      const tries = foreign.map((one) => {
        return { place, body: live?.body ?? 0, foreign: one, isMeant: one.kind === live?.kind };
      });
      return shareOf(tries, at);
    });
  }

  /** Asks as the intruder about what is the victim's, or about nothing of the same make. */
  ask({ place, body, foreign }: Try, about: 'foreign' | 'absent'): Promise<AskedAnswer> {
    return this.intruder.ask(place, body, about === 'foreign' ? foreign.value : absentLike(foreign));
  }

  /** The victim's rows that are tried at a place: of every kind where ids are meant, else whatever has an address or a name. */
  private triedAt(place: NamingPlace): readonly NamingValue[] {
    // The operator may name organizations; what is asked for here is what belongs to another one than that of the path.
    const foreign = this.foreign.filter(({ kind }) => !isOperators(place.route) || !kind.startsWith('tenants.'));
    const first = firstOfEach(foreign, 1);
    if (place.in === 'path') return first;
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

  /** How many rows of each table the work adds, whosever. */
  async rowsAddedBy(work: () => Promise<void>): Promise<Record<string, number>> {
    const before = await countRows(this.api.database);
    await work();
    const after = Object.entries(await countRows(this.api.database));
    const added = after.map(([table, count]) => [table, count - (before[table] ?? 0)] as const);
    return Object.fromEntries(added.filter(([, count]) => count !== 0));
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

/**
 * What is tried at a place outside the nightly campaign: what it means, and a third of the rest, another one at the next place, so that
 * no place and no kind is left out.
 */
function shareOf(tries: readonly Try[], at: number): Try[] {
  if (IS_NIGHTLY || tries.length <= NIGHTLY_TIMES) return [...tries];
  return tries.filter(({ isMeant }, index) => isMeant || (index + at) % NIGHTLY_TIMES === 0);
}

/** Gives what is made its name: chosen by the caller, who then has one of that name. */
function givesName({ place }: NamingPlace): boolean {
  return place === 'body name' || place === 'body slug';
}

function byDamage(a: NamingPlace, b: NamingPlace): number {
  const [first = 0, second = 0] = [a, b].map((place) => {
    if (place.in === 'path') return ['DELETE', 'GET'].indexOf(place.route.method) + 1 || 3;
    return givesName(place) ? 5 : 4;
  });
  return first - second;
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
