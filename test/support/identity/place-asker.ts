import { randomBytes, randomInt } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { v7 as uuidv7 } from 'uuid';
import { ADMIN_TOKEN, type TestApi } from '../api/api.js';
import { signIn } from '../api/users.js';
import { createRun } from '../runs/run-fixture.js';
import type { NamingPlace } from './addressed-requests.js';
import type { NamingValue } from './foreign-ids.js';
import type { PlantedOrganization } from './planted-organization.js';
import type { GuardedRoute } from './guarded-routes.js';

/** Whether the admin token opens the route in every mode. */
export function isOperators(route: GuardedRoute): boolean {
  return route.plane === 'public' && route.row.opens === 'operator';
}

/** A row of an organization, by its kind and its place among those of the kind: the same in every planted organization. */
export interface NthOfKind {
  kind: string;
  nth: number;
}

/** An answer without what differs between any two requests: the value that was sent, and what was just made. */
export type ComparedAnswer = string;

export interface AskedAnswer {
  status: number;
  text: string;
  compared: ComparedAnswer;
  /** From the request to the end of its answer. */
  tookMs: number;
}

const LIKE: readonly [RegExp, string][] = [
  [/[0-9a-f]/, '0123456789abcdef'],
  [/[a-z]/, 'ghijklmnopqrstuvwxyz'],
];

/** Hex digits that a UUID has after its last hyphen; what comes before them is a time. */
const UUID_TAIL = 12;

/** As below, but a UUID of this moment: where lists go on after a time, it is another one. */
export function absentNow(like: Pick<NamingValue, 'isUuid' | 'value'>): string {
  return like.isUuid ? uuidv7() : absentLike(like);
}

/** A name that nothing has, of the same make: a UUID of the same time, or other letters and digits in the same places. */
export function absentLike({ isUuid, value }: Pick<NamingValue, 'isUuid' | 'value'>): string {
  if (isUuid) return value.slice(0, -UUID_TAIL) + randomBytes(UUID_TAIL / 2).toString('hex');
  return value.replace(/[0-9a-z]/g, (letter) => {
    const letters = LIKE.find(([pattern]) => pattern.test(letter))?.[1] ?? letter;
    return letters.charAt(randomInt(letters.length));
  });
}

/** Asks as the people of one organization about whatever a place names. */
export class PlaceAsker {
  constructor(
    private readonly api: TestApi,
    readonly organization: PlantedOrganization,
    private readonly values: readonly NamingValue[],
    /** What the parameters of paths name, by the path up to them; grows while places are tried out. */
    private readonly parameters: ReadonlyMap<string, NthOfKind>,
  ) {}

  async ask(place: NamingPlace, body: number, sent: string): Promise<AskedAnswer> {
    const { route } = place;
    const fresh = `f${randomBytes(8).toString('hex')}`;
    const payload = this.payloadOf(place, body, { sent, fresh });
    const headers = await this.credential(route);
    const started = performance.now();
    const answer = await this.api.app.inject({
      method: route.method as 'GET',
      url: `${this.pathOf(place, sent)}${queryOf(place, sent)}`,
      headers,
      ...(payload === undefined ? {} : { payload: payload as object }),
      payloadAsStream: true,
    });
    const status = answer.statusCode;
    const type = String(answer.headers['content-type']);
    const said = await textOf(answer.stream(), type);
    const tookMs = performance.now() - started;
    const without = withoutAccidents({ status, said, method: route.method }, { sent, fresh });
    return { status, text: said, tookMs, compared: `${status} ${without} ${headersOf(answer.headers, sent)}` };
  }

  /** The own row that a parameter of a path stands for. */
  ownOf(prefix: string): string {
    const { kind, nth } = this.parameters.get(prefix) ?? { kind: '', nth: 0 };
    return this.values.filter((value) => value.kind === kind)[nth]?.value ?? uuidv7();
  }

  private pathOf({ route, in: where, name, numbers }: NamingPlace, sent: string): string {
    const parts = route.path.split('/');
    const asked = parts.map((part, index) => {
      if (part === '*') return 'v1/messages';
      if (!part.startsWith(':')) return part;
      if (where === 'path' && part === `:${name}`) return encodeURIComponent(sent);
      if (numbers.includes(part.slice(1))) return '1';
      return encodeURIComponent(this.ownParameter(route, parts.slice(0, index + 1).join('/')));
    });
    return asked.join('/');
  }

  private ownParameter(route: GuardedRoute, prefix: string): string {
    if (route.plane === 'public' && route.row.opens === 'trigger' && prefix.endsWith('/:id'))
      return this.organization.trigger.id;
    return this.ownOf(prefix);
  }

  /** Names of what is made are new each time, so that only the value in question can collide. */
  private payloadOf(place: NamingPlace, body: number, { sent, fresh }: { sent: string; fresh: string }): unknown {
    const made = place.bodies[body]?.(sent);
    if (typeof made !== 'object' || made === null) return made;
    const named = ['name', 'slug'].filter((member) => Object.hasOwn(made, member) && place.place !== `body ${member}`);
    return { ...made, ...Object.fromEntries(named.map((member) => [member, fresh])) };
  }

  private async credential(route: GuardedRoute): Promise<Record<string, string>> {
    const { owner, trigger } = this.organization;
    if (route.plane === 'runner') {
      const run = await createRun(this.api.db, { in: this.organization });
      return bearer(run.tokens[route.audience]);
    }
    if (route.row.opens === 'operator') return bearer(ADMIN_TOKEN);
    if (route.row.opens === 'trigger') return bearer(trigger.token);
    if (route.row.withoutBrowser === null) return bearer(owner.token);
    // Signed in anew each time: some requests end sessions.
    return { ...(await signIn(this.api.db, owner)).headers };
  }
}

function queryOf({ in: where, name, required }: NamingPlace, sent: string): string {
  const query = new URLSearchParams(Object.fromEntries(required.map((parameter) => [parameter, 'acme/shop'])));
  if (where === 'query') query.set(name, sent);
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Of any two answers these differ; what the length is of is compared itself. */
const ACCIDENTAL = ['content-length', 'date', 'x-request-id'];

function headersOf(headers: OutgoingHttpHeaders, sent: string): string {
  const compared = Object.entries(headers).filter(([name]) => !ACCIDENTAL.includes(name));
  return withoutSent(JSON.stringify(Object.fromEntries(compared.toSorted())), sent);
}

/** The body of an answer; of a stream of events, which does not end, that it is one. */
async function textOf(stream: Readable, type: string): Promise<string> {
  if (!type.startsWith('text/event-stream')) return text(stream);
  stream.destroy();
  return 'a stream';
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** As it was sent, as addresses have it, and as names of cookies have ids. */
function withoutSent(text: string, sent: string): string {
  const spellings = [sent, encodeURIComponent(sent), sent.replaceAll('-', '')];
  return spellings.reduce((left, spelling) => left.replaceAll(spelling, '‹sent›'), text);
}

/** Of an answer, what another request of the same kind would get as well. */
function withoutAccidents({ status, said, method }: Said, { sent, fresh }: { sent: string; fresh: string }): string {
  const asked = withoutSent(said, sent)
    .replaceAll(fresh, '‹fresh›')
    // What is suggested instead depends on the letters of what was sent.
    .replace(/; did you mean [^"?]*\?/g, '');
  // A refusal is compared byte for byte.
  if (status >= 400) return asked;
  if (method !== 'GET') return shapeOf(said);
  return asked
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '‹id›')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '‹time›')
    .replace(/[0-9a-f]{16,}/g, '‹hex›');
}

interface Said {
  status: number;
  said: string;
  method: string;
}

/** The members of an answer with the types of their values, which differ from one change to the next; a count of nothing stays one. */
function shapeOf(said: string): string {
  if (!said.startsWith('{')) return said;
  return JSON.stringify(JSON.parse(said), (_, value: unknown) =>
    typeof value === 'object' || value === 0 ? value : typeof value,
  );
}
