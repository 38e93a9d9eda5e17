import { SandgateError } from '../../domain/errors.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { nearestName } from '../../domain/nearest-name.js';
import { bodySchema, operationsOf, partsOf, type DescribedRequests, type Operation, type Schema } from './schema.js';

/** An object of a request and the members that it may have. */
interface Place {
  place: string;
  members: string[];
  schema: Schema;
}

const MAX_NAME_SHOWN = 80;
const CONTROLS = /\p{Cc}/gu;

/**
 * Which members and query parameters a request may have: those that the interface description names, and no others. A product that
 * guards must not guess what `polcy` meant, so an unknown name is refused, and the nearest known one is suggested.
 */
export class KnownMembers {
  readonly #operations: ReadonlyMap<string, Operation>;

  constructor(private readonly description: DescribedRequests) {
    this.#operations = operationsOf(description);
  }

  /** @param operation `METHOD /path/{of}/it`; undefined for what the description does not hold, which stays open */
  find(operation: string): Operation | undefined {
    return this.#operations.get(operation);
  }

  /** @throws SandgateError `invalid_request` naming the parameter and the nearest known one */
  refuseUnknownQuery({ parameters }: Operation, query: unknown): void {
    const known = (parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const unknown = Object.keys(query ?? {}).find((name) => !known.includes(name));
    if (unknown !== undefined) throw refusal(unknown, 'parameter', nearestName(unknown, known));
  }

  /**
   * A body that is not an object, and a member of a wrong type, are refused by whoever reads the body.
   *
   * @throws SandgateError `invalid_request` naming the member and the nearest known one
   */
  refuseUnknownMembers(operation: Operation, body: unknown): void {
    const schema = bodySchema(operation);
    if (schema !== undefined) return this.walk(schema, body, '', []);
    if (body === undefined) return;
    if (!isJsonObject(body)) throw new SandgateError('invalid_request', 'body: must be a JSON object, or left out');
    const [unknown] = Object.keys(body);
    if (unknown !== undefined) throw refusal(unknown, 'member', undefined);
  }

  /** The description is as deep as it is written, so following it needs no bound. @param above the objects around the value */
  private walk(schema: Schema, value: unknown, place: string, above: readonly Place[]): void {
    const parts = partsOf(schema, this.description);
    if (Array.isArray(value)) {
      const items = parts.flatMap((part) => part.items ?? []);
      for (const item of items) value.forEach((one, index) => this.walk(item, one, `${place}[${index}]`, above));
      return;
    }
    if (isJsonObject(value)) this.walkObject(schema, value, place, above);
  }

  private walkObject(schema: Schema, value: JsonObject, place: string, above: readonly Place[]): void {
    const parts = partsOf(schema, this.description);
    const members = new Map(parts.flatMap((part) => Object.entries(part.properties ?? {})));
    const others = parts.flatMap((part) => part.additionalProperties ?? []);
    const isClosed = others.includes(false);
    const ofOthers = others.find((other) => typeof other === 'object');
    const here = { place, members: [...members.keys()], schema };
    for (const [name, member] of Object.entries(value)) {
      const known = members.get(name) ?? ofOthers;
      const path = join(place, name);
      if (known !== undefined) this.walk(known, member, path, [here, ...above]);
      else if (isClosed) throw refusal(path, 'member', this.meant(name, here, above));
    }
  }

  /** The member of this name at another depth, or else the nearest name at this place. */
  private meant(name: string, { place, members, schema }: Place, above: readonly Place[]): string | undefined {
    const within = this.places(schema, name, place, new Set());
    const around = above.find((outer) => outer.members.includes(name));
    if (within !== undefined) return within;
    if (around !== undefined) return join(around.place, name);
    const nearest = nearestName(name, members);
    return nearest === undefined ? undefined : join(place, nearest);
  }

  /** Where the description has a member of that name; the outermost comes first. */
  private places(schema: Schema, name: string, place: string, seen: Set<Schema>): string | undefined {
    const parts = partsOf(schema, this.description).filter((part) => !seen.has(part));
    for (const part of parts) seen.add(part);
    if (parts.some(({ properties }) => properties !== undefined && Object.hasOwn(properties, name)))
      return join(place, name);
    for (const { properties, items } of parts) {
      const inner = Object.entries(properties ?? {}).map(([key, member]) => [member, join(place, key)] as const);
      if (items !== undefined) inner.push([items, `${place}[]`]);
      for (const [member, at] of inner) {
        const found = this.places(member, name, at, seen);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }
}

function join(place: string, name: string): string {
  const shown = name.slice(0, MAX_NAME_SHOWN).toWellFormed().replace(CONTROLS, '\u{fffd}');
  return place === '' ? shown : `${place}.${shown}`;
}

function refusal(path: string, what: 'member' | 'parameter', meant: string | undefined): SandgateError {
  const hint = meant === undefined ? ', which takes none' : `; did you mean ${meant}?`;
  return new SandgateError('invalid_request', `${path}: is not a ${what} of this request${hint}`);
}
