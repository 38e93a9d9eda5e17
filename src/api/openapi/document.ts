import type { INestApplication } from '@nestjs/common';
import { eventSchemas } from '../events/event-schemas.js';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

/** Version of the interface, which is not the version of the program (chapter 10, Versioning). */
export const INTERFACE_VERSION = '0.3.0';

/** The OpenAPI 3.1 document of the public plane, generated from the controllers. */
export function buildOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Sandgate')
    .setDescription(
      'Control plane that runs AI coding agents in governed, disposable sandboxes. A run is called session in paths and bodies. ' +
        'Every failure has the body `{"error": string}`. Times are RFC 3339 in UTC, money is decimal US dollars.',
    )
    .setVersion(INTERFACE_VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The server that serves this document')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The admin token of the deployment.' }, 'bearer')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (_controller, method) => method,
  });
  const schemas = { ...document.components?.schemas, ...eventSchemas() } as NonNullable<
    OpenAPIObject['components']
  >['schemas'];
  return publicPlaneOnly({ ...document, components: { ...document.components, ...(schemas && { schemas }) } });
}

/** The runner plane is spoken by the program inside the sandbox alone and is no part of the published interface. */
function publicPlaneOnly(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/'));
  return { ...document, paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))) };
}
