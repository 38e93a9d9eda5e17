import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { loadConfig } from '../platform/config/index.js';
import { Database } from '../core/record/database.js';
import { AppModule } from './app.module.js';
import { RouteTable } from './http/route-table.js';
import { buildOpenApiDocument } from './openapi/document.js';

/**
 * Writes the interface description from the controllers, without a database: in preview the framework reads what classes
 * declare and makes none of them. Usage: `node dist/src/api/generate-openapi.js [file]`; the default is `openapi.json` at
 * the top of the checkout.
 */
const target = process.argv[2] ?? fileURLToPath(new URL('../../../openapi.json', import.meta.url));
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
writeFileSync(target, `${JSON.stringify(buildOpenApiDocument(app), null, 2)}\n`);
