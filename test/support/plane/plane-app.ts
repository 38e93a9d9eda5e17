import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LoggerModule } from 'nestjs-pino';
import { v7 as uuidv7 } from 'uuid';
import { FoundationModule } from '../../../src/api/foundation/foundation.module.js';
import { InternalModule } from '../../../src/api/internal/internal.module.js';
import { RunLimits } from '../../../src/api/internal/limits/run-limits.js';
import type { Egress } from '../../../src/platform/egress/egress.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import type { SandgateConfig } from '../../../src/platform/config/index.js';
import type { Database } from '../../../src/core/record/database.js';
import type { TestDatabase } from '../database/database.js';

/** The runner plane over HTTP on real PostgreSQL, without the rest of the API. */
export interface PlaneApp {
  url: string;
  dataDir: string;
  config: SandgateConfig;
  db: Database;
  /** The number of calls that wait for a human in this process. */
  parkedCalls(): number;
  close(): Promise<void>;
}

/** Starts a runner plane. `env` overrides configuration; several of them on one database are several API processes. */
export async function startPlane(
  database: TestDatabase,
  env: Record<string, string> = {},
  options: { dataDir?: string; egress?: Egress } = {},
): Promise<PlaneApp> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'plane-app-')));
  const config = loadConfig({
    DATABASE_URL: database.ownerUrl,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_KMS_MODE: 'static',
    SERVICE_KMS_STATIC_KEK: Buffer.alloc(32, 7).toString('base64'),
    ...env,
  });
  const db = await database.connect({ poolSize: config.database.poolSize });
  await db.wakeups.listen();
  const app = await createApp(config, db, options.egress);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    config,
    db,
    parkedCalls: () => app.get(RunLimits, { strict: false }).total('parked_permissions'),
    close: async () => {
      await app.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function createApp(config: SandgateConfig, db: Database, egress?: Egress): Promise<NestFastifyApplication> {
  @Module({
    imports: [
      LoggerModule.forRoot({ pinoHttp: { level: 'silent', autoLogging: false } }),
      FoundationModule.forProcess({
        ...{ config, database: db, adminToken: 'unused', organizationId: uuidv7() },
        ...(egress === undefined ? {} : { egress }),
      }),
      InternalModule,
    ],
  })
  class PlaneRoot {}
  return NestFactory.create<NestFastifyApplication>(PlaneRoot, new FastifyAdapter({ forceCloseConnections: true }), {
    logger: false,
    abortOnError: false,
  });
}
