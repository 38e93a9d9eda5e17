import 'reflect-metadata';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { installationFolder } from '../../../src/platform/host/installation-folder.js';
import { Record } from '../core/record/record.js';
import { loadConfig } from '../platform/config/index.js';
import { AppModule } from './app.module.js';
import { ownVersion } from '../platform/own-version.js';
import { RouteTable } from './http/route-table.js';
import { BUILT_DOCUMENT } from './openapi/built-document.js';
import { buildOpenApiDocument } from './openapi/document.js';

/**
 * Writes the description of the interface from the controllers, without a database: in preview the framework reads what classes declare
 * and makes none of them. Usage: `node dist/documents/src/api/generate-openapi.js`; with `--build`, the description that the built API
 * serves and enforces.
 */
const foundation = { config: loadConfig({}), record: Object.create(Record.prototype) as Record };
const app = await NestFactory.create(AppModule.forProcess(foundation, new RouteTable()), new FastifyAdapter(), {
  preview: true,
  logger: false,
  abortOnError: false,
});
const description = buildOpenApiDocument(app, ownVersion());
if (process.argv.includes('--build')) {
  // An API that starts meanwhile reads the former one, whole.
  writeFileSync(`${BUILT_DOCUMENT}.next`, JSON.stringify(description));
  renameSync(`${BUILT_DOCUMENT}.next`, BUILT_DOCUMENT);
} else {
  const path = join(installationFolder('documents', 'package.json'), 'openapi.json');
  writeFileSync(path, `${JSON.stringify(description, null, 2)}\n`);
}
