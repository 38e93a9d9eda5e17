import 'reflect-metadata';
import { renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { loadConfig } from '../platform/config/index.js';
import { Database } from '../core/record/database.js';
import { AppModule } from './app.module.js';
import { declaredRoutes } from './auth/declared-routes.js';
import { rolesDocument } from './auth/roles-document.js';
import { RouteTable } from './http/route-table.js';
import { BUILT_DOCUMENT } from './openapi/built-document.js';
import { buildOpenApiDocument } from './openapi/document.js';

/**
 * Writes the interface description and docs/roles.md from the controllers, without a database: in preview the framework reads what
 * classes declare and makes none of them. Usage: `node dist/src/api/generate-openapi.js`; with `--build`, the description that the
 * built API serves and enforces, and nothing else.
 */
const fileAt = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const foundation = {
  config: loadConfig({}),
  database: Object.create(Database.prototype) as Database,
  adminToken: 'none',
  organizationId: '',
};
const app = await NestFactory.create(AppModule.forProcess(foundation, new RouteTable()), new FastifyAdapter(), {
  preview: true,
  logger: false,
  abortOnError: false,
});
const description = buildOpenApiDocument(app);
if (process.argv.includes('--build')) {
  // An API that starts meanwhile reads the former one, whole.
  writeFileSync(`${BUILT_DOCUMENT}.next`, JSON.stringify(description));
  renameSync(`${BUILT_DOCUMENT}.next`, BUILT_DOCUMENT);
} else {
  writeFileSync(fileAt('openapi.json'), `${JSON.stringify(description, null, 2)}\n`);
  writeFileSync(fileAt('docs/roles.md'), rolesDocument(declaredRoutes(app)));
}
