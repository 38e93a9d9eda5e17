import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

/** The parts of OpenAPI 3.0 that GitHub's description uses. */
interface ApiSchema {
  $ref?: string;
  type?: string;
  nullable?: boolean;
  enum?: unknown[];
  example?: unknown;
  format?: string;
  properties?: Record<string, ApiSchema>;
  required?: string[];
  items?: ApiSchema;
  allOf?: ApiSchema[];
  anyOf?: ApiSchema[];
  oneOf?: ApiSchema[];
}

interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema: ApiSchema;
}

interface Body {
  required?: boolean;
  content?: Record<string, { schema?: ApiSchema }>;
}

interface Operation {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Body;
  responses: Record<string, Body | { $ref: string }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** One request to the REST API, without the address of the host. */
export interface AskedRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

const JSON_TYPE = 'application/json';

/**
 * GitHub's own description of its REST API, as far as we use it (`npm run github-description` writes it anew). It judges what we send to a code host, and what the scripted host of
 * the tests answers.
 */
export class GithubDescription {
  private readonly description: Description;
  private readonly ajv = new Ajv({ strict: false, validateFormats: false, coerceTypes: false });
  private readonly validators = new Map<ApiSchema, ValidateFunction>();

  constructor() {
    const file = new URL('github-description.json', import.meta.url);
    this.description = JSON.parse(readFileSync(file, 'utf8')) as Description;
    const schemas = this.description.components['schemas'] as Record<string, ApiSchema>;
    const converted = Object.entries(schemas).map(([name, schema]) => [name, withoutNullable(schema)]);
    this.ajv.addSchema({ $id: 'github', components: { schemas: Object.fromEntries(converted) as object } });
  }

  /** What is wrong with a request; empty when the description allows it. */
  requestFaults({ method, url, headers, body }: AskedRequest): string[] {
    const { pathname, searchParams } = new URL(url, 'https://api.test');
    const found = this.find(method, pathname);
    if (found === undefined) return [`${method} ${pathname}: GitHub has no such operation`];
    const { operation, values } = found;
    const parameters = (operation.parameters ?? []).map((one) => this.resolve<Parameter>(one));
    const known = new Set(parameters.filter((one) => one.in === 'query').map(({ name }) => name));
    const unknown = [...searchParams.keys()].filter((name) => !known.has(name));
    const faults = [
      ...unknown.map((name) => `query ${name} is not known`),
      ...parameters.flatMap((one) => this.parameterFaults(one, one.in === 'path' ? values : searchParams)),
      ...this.bodyFaults(operation, body),
      ...headerFaults(headers, body),
    ];
    return faults.map((fault) => `${method} ${pathname}: ${fault}`);
  }

  /** What is wrong with an answer; statuses that the description leaves out say what they want. */
  answerFaults(method: string, url: string, status: number, body: unknown): string[] {
    const { pathname } = new URL(url, 'https://api.test');
    const described = this.find(method, pathname)?.operation.responses[String(status)];
    const schema = described && this.resolve<Body>(described).content?.[JSON_TYPE]?.schema;
    if (schema === undefined) return status < 400 ? [`${method} ${pathname}: it is never answered ${status}`] : [];
    return this.faultsOf(schema, body).map((fault) => `${method} ${pathname} → ${status}: ${fault}`);
  }

  /** The smallest answer of an operation that the description allows, with these members of it. */
  answer(method: string, template: string, status: number, members: object = {}): Record<string, unknown> {
    const described = this.description.paths[template]?.[method.toLowerCase()]?.responses[String(status)];
    const schema = described && this.resolve<Body>(described).content?.[JSON_TYPE]?.schema;
    if (schema === undefined) throw new Error(`${method} ${template} is not answered ${status} with JSON`);
    const whole = schema.type === 'array' ? schema.items : schema;
    return { ...(this.sampleWhole(whole ?? {}) as object), ...members };
  }

  /** The smallest value of a schema, by its name, with these members of it. */
  component(name: string, members: object = {}): Record<string, unknown> {
    return { ...(this.sampleWhole({ $ref: `#/components/schemas/${name}` }) as object), ...members };
  }

  /** The operation of a path; of several templates that fit the one with the fewest parameters. */
  private find(method: string, path: string): { operation: Operation; values: URLSearchParams } | undefined {
    const parts = path.split('/');
    const fitting = Object.keys(this.description.paths)
      .map((template) => template.split('/'))
      .filter((template) => template.length === parts.length)
      .filter((template) => template.every((part, n) => part.startsWith('{') || part === parts[n]))
      .toSorted((one, other) => parametersOf(one) - parametersOf(other));
    for (const template of fitting) {
      const operation = this.description.paths[template.join('/')]?.[method.toLowerCase()];
      if (operation === undefined) continue;
      const values = template.flatMap((part, n) =>
        part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(parts[n] ?? '')] as [string, string]] : [],
      );
      return { operation, values: new URLSearchParams(values) };
    }
    return undefined;
  }

  private parameterFaults({ name, required, schema }: Parameter, values: URLSearchParams): string[] {
    const value = values.get(name);
    if (value === null) return required === true ? [`${name} is missing`] : [];
    const { type } = this.resolve<ApiSchema>(schema);
    const typed = (type === 'integer' || type === 'number') && /^-?\d+$/.test(value) ? Number(value) : value;
    return this.faultsOf(schema, typed).map((fault) => `${name}: ${fault}`);
  }

  private bodyFaults({ requestBody }: Operation, body: string): string[] {
    const schema = requestBody && this.resolve<Body>(requestBody).content?.[JSON_TYPE]?.schema;
    if (body === '') return requestBody?.required === true ? ['the body is missing'] : [];
    if (schema === undefined) return ['it takes no body'];
    const sent: unknown = JSON.parse(body);
    return [...this.faultsOf(schema, sent), ...this.unknownMembers(schema, sent, '')];
  }

  /** The description forbids no member, but one that it does not name does nothing. */
  private unknownMembers(given: ApiSchema, value: unknown, place: string): string[] {
    const { properties } = this.resolve<ApiSchema>(given);
    if (properties === undefined || typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) => {
      const schema = properties[name];
      return schema === undefined
        ? [`${place}/${name} is not known`]
        : this.unknownMembers(schema, member, `${place}/${name}`);
    });
  }

  private faultsOf(schema: ApiSchema, value: unknown): string[] {
    const validate = this.validators.get(schema) ?? this.ajv.compile(absolute(withoutNullable(schema)));
    this.validators.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
  }

  private resolve<T extends object>(given: object): T {
    if (!('$ref' in given)) return given as T;
    const [, , kind = '', name = ''] = String(given.$ref).split('/');
    return this.resolve<T>(this.description.components[kind]?.[name] as object);
  }

  private sample(schema: ApiSchema): unknown {
    return this.resolve<ApiSchema>(schema).nullable === true ? null : this.sampleWhole(schema);
  }

  private sampleWhole(given: ApiSchema): unknown {
    const schema = this.resolve<ApiSchema>(given);
    if (schema.allOf !== undefined)
      return Object.assign({}, ...schema.allOf.map((part) => this.sampleWhole(part))) as object;
    const [first] = schema.oneOf ?? schema.anyOf ?? [];
    if (first !== undefined) return this.sample(first);
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.type === 'array') return [];
    if (schema.type === 'object' || schema.properties !== undefined) {
      const members = (schema.required ?? []).map((name) => [name, this.sample(schema.properties?.[name] ?? {})]);
      return Object.fromEntries(members) as object;
    }
    return schema.example ?? EXAMPLES[schema.format ?? ''] ?? EXAMPLES[schema.type ?? 'string'];
  }
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  'date-time': '2026-01-01T00:00:00Z',
  uri: 'https://code.test/x',
  string: 'x',
  integer: 1,
  number: 1,
  boolean: false,
};

function parametersOf(template: readonly string[]): number {
  return template.filter((part) => part.startsWith('{')).length;
}

/** What GitHub's guide asks of every request, beside the description of its operations. */
function headerFaults(headers: AskedRequest['headers'], body: string): string[] {
  const wanted: Record<string, string | undefined> = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': 'service',
    'content-type': body === '' ? undefined : JSON_TYPE,
  };
  return Object.entries(wanted)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name]) => `header ${name} is ${String(headers[name])}`);
}

/** JSON Schema has no `nullable`. */
function withoutNullable<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNullable) as T;
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = value as Record<string, unknown>;
  const members = Object.entries(rest).map(([name, member]) => [
    name,
    name === 'enum' ? member : withoutNullable(member),
  ]);
  const plain = Object.fromEntries(members) as Record<string, unknown>;
  // A property of that name is a schema, never `true`.
  if (typeof nullable === 'object') plain['nullable'] = withoutNullable(nullable);
  return (nullable === true ? { anyOf: [{ type: 'null' }, plain] } : plain) as T;
}

/** With references that lead into the description. */
function absolute(schema: ApiSchema): ApiSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"github#/')) as ApiSchema;
}
