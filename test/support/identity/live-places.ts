import type { NamingPlace } from './addressed-requests.js';
import { firstOfEach, type NamingValue } from './foreign-ids.js';
import { absentNow, isOperators, type NthOfKind, type PlaceAsker } from './place-asker.js';

/** What a place names, found by asking: the answer about a row that is there differs from that about none. */
export interface LivePlace {
  place: NamingPlace;
  /** Which of the place's bodies showed it. */
  body: number;
  kind: string;
}

/** Members of requests that name rows, of which an answer says nothing: what is named is looked for later, or never. */
const SILENT: Record<string, string> = {
  'body default_workspace.connection_id': 'a revision is written without it; each run of the agent asks for it',
  'body default_workspace.id': 'an upload is for one run, and no default of an agent',
  'POST /v1/auth/switch/:id path id': 'without the cookie of the browser that began it, every switch is the same page',
  'POST /v1/triggers body workspace.id': 'an upload is for one run, and no workspace of a trigger',
};

const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** The operator deletes credentials, one by one; whoever disables a provider or a member ends all of theirs. */
const OPERATORS_ORDER = ['GET', 'DELETE', 'POST', 'PUT', 'PATCH'];

/** What a place is called in a report. */
export function placeName({ route, place }: NamingPlace): string {
  return `${route.method} ${route.path} ${place}`;
}

/** Whether it is known, and said above why, that answers tell nothing of what the place names. */
export function isSilent(place: NamingPlace): boolean {
  return [place.place, placeName(place)].some((name) => Object.hasOwn(SILENT, name));
}

/** Finds out, with an organization that may be used up by it, which rows each place names. */
export class PlaceDiscovery {
  readonly live: LivePlace[] = [];

  constructor(
    private readonly asker: PlaceAsker,
    private readonly values: readonly NamingValue[],
    /** Filled with what the parameters of paths name, for the asker. */
    private readonly parameters: Map<string, NthOfKind>,
  ) {}

  /** Reading first and deleting last: what is gone tells nothing. On the runner plane the id of a path says nothing. */
  async run(places: readonly NamingPlace[]): Promise<void> {
    const asked = places.filter((place) => place.route.plane !== 'runner' && !isSilent(place));
    const paths = asked.filter((place) => place.in === 'path').toSorted(byOrder);
    const reads = paths.filter(({ route }) => route.method === 'GET');
    for (const place of reads) await this.tryPath(place);
    for (const place of asked) if (place.in !== 'path') await this.tryMember(place);
    for (const place of paths) if (!reads.includes(place)) await this.tryPath(place);
  }

  /** Values that some path or name stands for: what members of bodies can name. */
  addressable(values: readonly NamingValue[]): NamingValue[] {
    const kinds = new Set([...this.parameters.values()].map(({ kind }) => kind));
    return values.filter(({ kind, isUuid }) => !isUuid || kinds.has(kind));
  }

  private async tryPath(place: NamingPlace): Promise<void> {
    const [prefix, before] = prefixesOf(place);
    const known = this.parameters.get(prefix)?.kind;
    for (const outer of this.rowsFor(before)) {
      if (before !== null && outer !== null) this.parameters.set(before, outer);
      const found = await this.firstLive(place, this.values, ({ kind }) => kind === known || isSaid(prefix, kind));
      if (found === null) continue;
      this.live.push({ place, body: found.body, kind: found.value.kind });
      if (!this.parameters.has(prefix)) this.parameters.set(prefix, nthOf(this.values, found.value));
      return;
    }
  }

  private async tryMember(place: NamingPlace): Promise<void> {
    const candidates = place.isUuid
      ? this.values.filter(({ isUuid }) => isUuid)
      : this.addressable(firstOfEach(this.values, 1));
    const found = await this.firstLive(place, candidates, ({ kind }) => this.isLikely(place, kind));
    if (found !== null) this.live.push({ place, body: found.body, kind: found.value.kind });
  }

  /** What members of the same name have named elsewhere, or what the name says. */
  private isLikely({ name }: NamingPlace, kind: string): boolean {
    const [member] = name.split('.').slice(-1);
    const named = this.live.filter(({ place }) => place.in !== 'path' && place.name.split('.').at(-1) === member);
    return named.some((one) => one.kind === kind) || isSaid(name, kind);
  }

  /** Every row that the parameter before this one can stand for; one try without any where there is none. */
  private rowsFor(before: string | null): (NthOfKind | null)[] {
    const known = before === null ? undefined : this.parameters.get(before);
    if (known === undefined) return [null];
    const { kind } = known;
    return this.values.filter((value) => value.kind === kind).map((_, nth) => ({ kind, nth }));
  }

  /** Everything is tried with every body; what is likely comes first, because most of it is found at once. */
  private async firstLive(
    place: NamingPlace,
    candidates: readonly NamingValue[],
    isLikely: (value: NamingValue) => boolean,
  ): Promise<{ value: NamingValue; body: number } | null> {
    const bodies = await this.differingBodies(place, candidates[0]);
    const likely = candidates.filter(isLikely);
    const others = candidates.filter((value) => !likely.includes(value));
    for (const values of [likely, others]) {
      for (const absent of bodies) {
        for (const value of values) {
          const { compared } = await this.asker.ask(place, absent.body, value.value);
          if (!(await absent.include(compared, value))) return { value, body: absent.body };
        }
      }
    }
    return null;
  }

  /** The bodies that are not refused like one before them, which got no further. */
  private async differingBodies(place: NamingPlace, like: NamingValue | undefined): Promise<AbsentAnswers[]> {
    const bodies = new Map<string, AbsentAnswers>();
    for (let body = 0; body < place.bodies.length; body++) {
      const absent = new AbsentAnswers(this.asker, place, body);
      const first = like === undefined ? '' : await absent.ask(like);
      if (!bodies.has(first)) bodies.set(first, absent);
    }
    return [...bodies.values()];
  }
}

/** What is answered about nothing, for UUIDs and for names; asked again, of the same make, before two answers are said to differ. */
class AbsentAnswers {
  readonly #answers = new Map<boolean, string>();

  constructor(
    private readonly asker: PlaceAsker,
    private readonly place: NamingPlace,
    readonly body: number,
  ) {}

  /** @returns whether this is answered about nothing, too */
  async include(compared: string, like: NamingValue): Promise<boolean> {
    return this.#answers.get(like.isUuid) === compared || (await this.ask(like)) === compared;
  }

  async ask(like: NamingValue): Promise<string> {
    const { compared } = await this.asker.ask(this.place, this.body, absentNow(like));
    this.#answers.set(like.isUuid, compared);
    return compared;
  }
}

/**
 * What the operator may end last; by method; of one parameter before those of several, and there the last first: the others stand for
 * what is known of them.
 */
function byOrder(a: NamingPlace, b: NamingPlace): number {
  const difference = rankOf(a).map((rank, at) => rank - (rankOf(b)[at] ?? 0));
  return difference.find((one) => one !== 0) ?? 0;
}

function rankOf({ route, name }: NamingPlace): number[] {
  const parts = route.path.split('/');
  return [
    Number(isOperators(route)),
    (isOperators(route) ? OPERATORS_ORDER : ORDER).indexOf(route.method),
    parts.filter((part) => part.startsWith(':')).length,
    parts.length - parts.indexOf(`:${name}`),
  ];
}

/** Whether a path or a member says by its name that it names such rows: `/v1/agents/:id` and `agent`, those of `agents`. */
function isSaid(name: string, kind: string): boolean {
  const [said = ''] = name
    .split(/[./]/)
    .filter((part) => !/^:|^id$/.test(part))
    .slice(-1);
  const [table = ''] = kind.split('.');
  const words = wordsOf(table);
  return wordsOf(said.replace(/_id$/, '')).some((word) => words.includes(word));
}

function wordsOf(name: string): string[] {
  return name.split(/[_-]/).map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''));
}

/** The path up to a parameter, and up to the one before it. */
function prefixesOf({ route, name }: NamingPlace): [prefix: string, before: string | null] {
  const parts = route.path.split('/');
  const at = parts.indexOf(`:${name}`);
  const earlier = parts.findLastIndex((part, index) => index < at && part.startsWith(':'));
  return [parts.slice(0, at + 1).join('/'), earlier === -1 ? null : parts.slice(0, earlier + 1).join('/')];
}

function nthOf(values: readonly NamingValue[], { kind, value }: NamingValue): NthOfKind {
  return { kind, nth: values.filter((one) => one.kind === kind).findIndex((one) => one.value === value) };
}
