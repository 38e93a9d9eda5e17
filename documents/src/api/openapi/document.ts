import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { declaredRoutes, type DeclaredRoute } from '../http/declared-routes.js';

const ABOUT =
  'Keeps documents whole, reads every page of them, and finds what they say with its place on the page. Every failure has the body ' +
  '`{"error": {code, message, requestId, retryable, details}}`; the token endpoint has that of OAuth. Lists are `{data, nextCursor}`, ' +
  'newest first. A member of a body or a query parameter that is not described here is refused with 400. Every POST takes an ' +
  '`Idempotency-Key`: for 24 hours the same key with the same request answers what the first one was answered, and with another one 409. ' +
  'Requests of one credential are limited; `RateLimit-*` headers say how far it is.';

const TOKEN = 'An access token of `POST /oauth/token`, `docsvc_at_…`.';

interface Operation {
  parameters?: object[];
  responses: Record<string, object>;
  security?: Record<string, string[]>[];
  'x-scope'?: string;
}

/** The OpenAPI 3.1 document of the service, generated from the controllers. */
export function buildOpenApiDocument(app: INestApplication, version: string): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('docsvc')
    .setDescription(ABOUT)
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The server that serves this document')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: TOKEN }, 'bearer')
    .build();
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory: (_controller, method) => method });
  const paths = Object.fromEntries(Object.entries(document.paths).sort(([a], [b]) => (a < b ? -1 : 1)));
  const published = { ...document, paths };
  for (const route of declaredRoutes(app.get(ModulesContainer))) describeAccess(published, route);
  closeBodies(published);
  return published;
}

/** Says at each operation which scope its route needs, as the route itself declares it, and what every route of its kind takes. */
function describeAccess({ paths }: OpenAPIObject, { method, path, admittance }: DeclaredRoute): void {
  const item = paths[path.replace(/:(\w+)/g, '{$1}')] as Record<string, Operation> | undefined;
  const operation = item?.[method.toLowerCase()];
  if (operation === undefined) return;
  operation.security = admittance.by === 'scope' ? [{ bearer: [] }] : [];
  if (admittance.by !== 'scope') return;
  if (admittance.scope !== 'any') operation['x-scope'] = admittance.scope;
  if (method === 'POST') operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The same key with the same request answers what the first one was answered, for 24 hours; with another request 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

interface Schema {
  type?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
}

/** DTOs refuse members that they do not have. */
function closeBodies({ components, paths }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;
  const named = new Set<string>();
  const collect = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (named.has(name)) continue;
      named.add(name);
      collect(schemas[name]);
    }
  };
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item as Record<string, { requestBody?: unknown }>))
      collect(operation.requestBody);
  }
  for (const name of named) {
    const schema = schemas[name];
    if (schema?.properties !== undefined) schema.additionalProperties ??= false;
  }
}
