import { SandgateError } from '../../domain/errors.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { nearestName } from '../../domain/nearest-name.js';
import {
  bodySchema,
  operationsOf,
  partsOf,
  type DescribedRequests,
  type Operation,
  type Schema,
} from '../openapi/schema.js';

const MAX_NAME_SHOWN = 80;
const CONTROLS = /\p{Cc}/gu;

/**
 * Which members and query parameters a request may have: those that the interface description names, and no others. A product that
 * guards must not guess what `polcy` meant, so a name that nothing reads is refused with the nearest one that something does.
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
   * A body that is no object, or a member of a wrong type, is for the reader of the body to refuse.
   *
   * @throws SandgateError `invalid_request` naming the member and the nearest known one
   */
  refuseUnknownMembers(operation: Operation, body: unknown): void {
    const schema = bodySchema(operation);
    if (schema !== undefined) return this.walk(schema, body, '', schema);
    if (body === undefined) return;
    if (!isJsonObject(body)) throw new SandgateError('invalid_request', 'body: must be a JSON object, or left out');
    const [unknown] = Object.keys(body);
    if (unknown !== undefined) throw refusal(unknown, 'member', undefined);
  }

  /** The description is as deep as it is written, so following it needs no bound. */
  private walk(schema: Schema, value: unknown, place: string, root: Schema): void {
    const parts = partsOf(schema, this.description);
    if (Array.isArray(value)) {
      const items = parts.flatMap((part) => part.items ?? []);
      for (const item of items) value.forEach((one, index) => this.walk(item, one, `${place}[${index}]`, root));
      return;
    }
    if (isJsonObject(value)) this.walkObject(parts, value, place, root);
  }

  private walkObject(parts: readonly Schema[], value: JsonObject, place: string, root: Schema): void {
    const members = new Map(parts.flatMap((part) => Object.entries(part.properties ?? {})));
    const others = parts.flatMap((part) => part.additionalProperties ?? []);
    const isClosed = others.includes(false);
    const ofOthers = others.find((other) => typeof other === 'object');
    for (const [name, member] of Object.entries(value)) {
      const schema = members.get(name) ?? ofOthers;
      const path = join(place, name);
      if (schema !== undefined) this.walk(schema, member, path, root);
      else if (isClosed) throw refusal(path, 'member', this.meant(name, place, [...members.keys()], root));
    }
  }

  /** The member of this name that stands elsewhere in the request, or else the nearest name at this place. */
  private meant(name: string, place: string, known: readonly string[], root: Schema): string | undefined {
    const elsewhere = this.places(root, name, '', new Set());
    if (elsewhere !== undefined) return elsewhere;
    const nearest = nearestName(name, known);
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
