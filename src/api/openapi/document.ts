import type { INestApplication } from '@nestjs/common';
import { WEB_COOKIE } from '../auth/credentials.js';
import { declaredRoutes, type Admission, type DeclaredRoute } from '../auth/declared-routes.js';
import { closeRequestBodies } from './schema.js';
import { eventSchemas } from './event-schemas.js';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

/** Version of the interface, which is not the version of the program (CP-319). */
export const INTERFACE_VERSION = '0.3.0';

const STRICTNESS =
  'A member of a body or a query parameter that is not described here is refused with 400, which names it and the nearest known one; ' +
  "an operation without a request body takes none, or an empty object. What is the caller's own is open: the names of `labels`, " +
  '`bindings` and `env`, the `input` of a call, JSON Schemas and `annotations` of tools. Accepted aliases are written at the members ' +
  'that have them. `OPTIONS` on any path answers 204 with the methods of the path in `Allow`, and needs no credential.';

const BEARER =
  'The admin token of the deployment, or a personal access token (`svc_pat_…`); on the routes of one trigger, its own token ' +
  '(`svc_trig_…`). Where people sign in, the admin token is for `/v1/admin` alone.';

const COOKIE =
  'A browser session. Whatever is not read with GET, HEAD or OPTIONS needs the header `x-service-csrf: 1` besides and comes from no ' +
  'other origin, else 403. Together with a bearer it is 400.';

/** The OpenAPI 3.1 document of the public plane, generated from the controllers. */
export function buildOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Sandgate')
    .setDescription(
      'Control plane that runs AI coding agents in governed, disposable sandboxes. A run is called session in paths and bodies. ' +
        'Every failure has the body `{"error": string}`. Times are RFC 3339 in UTC, money is decimal US dollars.\n\n' +
        STRICTNESS,
    )
    .setVersion(INTERFACE_VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The server that serves this document')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: BEARER }, 'bearer')
    .addCookieAuth(WEB_COOKIE, { type: 'apiKey', in: 'cookie', description: COOKIE }, 'cookie')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (_controller, method) => method,
  });
  const schemas = { ...document.components?.schemas, ...eventSchemas() } as NonNullable<
    OpenAPIObject['components']
  >['schemas'];
  const published = publicPlaneOnly({
    ...document,
    components: { ...document.components, ...(schemas && { schemas }) },
  });
  closeRequestBodies(published);
  nameCredentials(published, declaredRoutes(app));
  return published;
}

/** The runner plane is spoken by the program inside the sandbox alone and is no part of the published interface. */
function publicPlaneOnly(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).filter(([path]) => /^\/(v1|\.well-known)\//.test(path));
  return { ...document, paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Says at each operation which credentials its route takes, as the route itself declares it. */
function nameCredentials({ paths }: OpenAPIObject, routes: readonly DeclaredRoute[]): void {
  for (const { method, path, admission } of routes) {
    const operations = paths[path.replace(/:(\w+)/g, '{$1}')] as
      | Record<string, { security?: Record<string, string[]>[] }>
      | undefined;
    const operation = operations?.[method.toLowerCase()];
    if (operation !== undefined) operation.security = credentialsOf(admission).map((scheme) => ({ [scheme]: [] }));
  }
}

function credentialsOf(admission: Admission): ('bearer' | 'cookie')[] {
  if (admission.by === 'public' || admission.by === 'nothing') return [];
  if (admission.by !== 'permission') return ['bearer'];
  return admission.browserOnly ? ['cookie'] : ['bearer', 'cookie'];
}
