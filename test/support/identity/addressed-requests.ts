import {
  bodySchema,
  operationsOf,
  partsOf,
  type DescribedRequests,
  type Schema,
} from '../../../src/api/openapi/schema.js';
import { exampleOf, membersBelow, wholeSchema, type Way } from '../api/described-requests.js';
import type { GuardedRoute } from './guarded-routes.js';

/** One place of a request that can name a row: a parameter of the path or of the query, or a member of the body. */
export interface NamingPlace {
  route: GuardedRoute;
  /** `path id`, `query agent`, `body workspace.id` */
  place: string;
  in: 'path' | 'query' | 'body';
  name: string;
  /** Parameters of the path that are no names but numbers. */
  numbers: readonly string[];
  /** Parameters without which the query is refused. */
  required: readonly string[];
  /** The description says that it is a UUID. */
  isUuid: boolean;
  /** Bodies that have the value there, one for each alternative of the description; a path has any valid body. */
  bodies: readonly ((value: string) => unknown)[];
}

/** Agents of every planted organization: one that requests name, and change by its name alone; one that declares a slot. */
export const UNCHANGED_AGENT = 'unchanged';
export const AGENT_WITH_SLOT = 'bound';
export const SLOT = 'tickets';

/** Refused before anything is looked up, where the examples would call a server. */
const INSIDE = 'https://127.0.0.1/mcp';
/** Of a trigger, which has no task otherwise; the description cannot say so. */
const NEEDED = { task_template: 'Look at it.' };
const NOTHING = (): undefined => undefined;

/** Every place that can name a row, from the route table and the interface description. */
export function namingPlaces(routes: readonly GuardedRoute[], description: DescribedRequests): NamingPlace[] {
  const operations = operationsOf(description);
  return routes.flatMap((route) => {
    const operation = operations.get(`${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`);
    const schema = operation === undefined ? undefined : bodySchema(operation);
    const parameters = (operation?.parameters ?? []) as Parameter[];
    const numbers = parameters
      .filter((one) => one.in === 'path' && one.schema?.type === 'integer')
      .map(({ name }) => name);
    const required = parameters.filter((one) => one.in === 'query' && one.required === true).map(({ name }) => name);
    const common = { route, numbers, required };
    const bodies = schema === undefined ? [NOTHING] : validBodies(schema, description);
    const path = [...route.path.matchAll(/:(\w+)/g)]
      .filter(([, name = '']) => !numbers.includes(name))
      .map(([, name = '']): NamingPlace => ({
        ...common,
        place: `path ${name}`,
        in: 'path',
        name,
        isUuid: false,
        bodies,
      }));
    const query = parameters.filter(isText).map(({ name, schema: { format } = {} }): NamingPlace => {
      return { ...common, place: `query ${name}`, in: 'query', name, isUuid: format === 'uuid', bodies };
    });
    return [...path, ...query, ...(schema === undefined ? [] : bodyPlaces(common, schema, description))];
  });
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: { type?: string; format?: string; enum?: unknown };
}

function isText({ in: place, schema }: Parameter): boolean {
  return place === 'query' && schema?.type === 'string' && schema.enum === undefined;
}

/** With the required members, with all, and with each of the others alone: what goes together, the description does not say. */
function validBodies(schema: Schema, description: DescribedRequests): (() => unknown)[] {
  const [least, whole] = [false, true].map((all) => exampleOf(schema, description, all) as Record<string, unknown>);
  const others = Object.entries(whole ?? {}).filter(([name]) => !Object.hasOwn(least ?? {}, name));
  return [least, whole, ...others.map(([name, value]) => ({ ...least, [name]: value }))].map(
    (body) => () => safe(body),
  );
}

function bodyPlaces(
  common: Pick<NamingPlace, 'route' | 'numbers' | 'required'>,
  body: Schema,
  description: DescribedRequests,
): NamingPlace[] {
  const ways = new Map<string, { way: Way; isUuid: boolean }>();
  for (const { way, schema } of membersBelow(body, description)) {
    const types = [schema.type ?? []].flat();
    const isMap = types.includes('object') && schema.properties === undefined && schema.additionalProperties === true;
    const isList =
      types.includes('array') && [wholeSchema(schema.items ?? {}, description).type].flat().includes('string');
    const isText = types.includes('string') && schema.enum === undefined;
    const at: Way | null = isMap ? [...way, SLOT] : isList ? [...way, 0] : isText ? way : null;
    if (at !== null) ways.set(at.join('.'), { way: at, isUuid: schema.format === 'uuid' });
  }
  return [...ways].map(([place, { way, isUuid }]) => ({
    ...{ ...common, place: `body ${place}`, in: 'body' as const, name: place, isUuid },
    bodies: bodiesWith(body, way, description).flatMap((make) => {
      const made = (value: string): unknown => safe(make(value));
      return place.endsWith(`.${SLOT}`)
        ? [made, (value) => ({ ...(made(value) as object), agent: AGENT_WITH_SLOT })]
        : [made];
    }),
  }));
}

type Making = (value: string) => unknown;

/** Makers of values of the schema that have one at the end of the way: required members are there, and alternatives apart. */
function bodiesWith(schema: Schema, way: Way, description: DescribedRequests): Making[] {
  const [step, ...rest] = way;
  if (step === undefined) return [(value) => value];
  const parts = partsOf(schema, description);
  if (step === 0) {
    const items = parts.flatMap(({ items }) => items ?? []);
    return items.flatMap((item) =>
      bodiesWith(item, rest, description).map((make): Making => (value) => [make(value)]),
    );
  }
  const having = parts.filter(({ properties }) => properties?.[step] !== undefined);
  const open = having.length === 0 ? [{ properties: { [step]: {} } }] : having;
  const needed = parts.some(({ properties }) => properties?.['task_template'] !== undefined) ? NEEDED : {};
  const least = { ...(exampleOf(schema, description, false) as Record<string, unknown>), ...needed };
  return open.flatMap((part) => {
    const others = exampleOf({ type: 'object', ...part }, description, false) as Record<string, unknown>;
    const isId = rest.length === 0 && wholeSchema(part.properties?.[step] ?? {}, description).format === 'uuid';
    const around = isId ? companions({ ...least, ...others }, part, description) : [{ ...least, ...others }];
    const inner = bodiesWith(part.properties?.[step] ?? {}, rest, description);
    return inner.flatMap((make) =>
      around.map((one): Making => (value) => ({ ...one, [step]: make(value) })),
    );
  });
}

type Members = Record<string, unknown>;

/** Members that an id may need beside it: each choice of a sibling, alone and with one other member. */
function companions(least: Members, { properties = {} }: Schema, description: DescribedRequests): Members[] {
  const known = Object.entries(properties).map(([name, schema]) => ({ name, ...wholeSchema(schema, description) }));
  const choices = known.flatMap(({ name, enum: values = [] }) => values.map((value) => ({ [name]: value })));
  const texts = known.filter(
    (one) => one.enum === undefined && [one.type].flat().includes('string') && one.format !== 'uuid',
  );
  const members = texts.map(({ name }) => ({ [name]: 'acme/shop' }));
  return [{}, ...choices].flatMap((choice) => [{}, ...members].map((member) => ({ ...least, ...choice, ...member })));
}

/** Calls no server, and names the agent that stays as it is. */
function safe(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) => {
    if (/^(base_|clone_)?url$/.test(name)) return INSIDE;
    return name === 'agent' && value === 'fixer' ? UNCHANGED_AGENT : value;
  }) as unknown;
}
