import { Module } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { AppAddresses } from '../../core/codehost/app-addresses.js';
import { Codehost } from '../../core/codehost/codehost.js';
import { InstallApp, type InstallParts } from '../../core/codehost/install-app.js';
import { RegisterApp } from '../../core/codehost/register-app.js';
import { SyncInstallations } from '../../core/codehost/sync-installations.js';
import { ConnectionCaches } from '../../core/connections/connection-caches.js';
import { Database } from '../../core/record/database.js';
import { publicUrl } from '../../platform/config/index.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { DeploymentOrganization } from '../auth/deployment-organization.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { CodehostAppsController } from './codehost-apps.controller.js';
import { CodehostAppsService } from './codehost-apps.service.js';
import { CodehostPagesController } from './codehost-pages.controller.js';

const PARTS = Symbol('what apps need');

/** Apps at the code host: registering and installing them in a browser, taking their installations over, revoking them. */
@Module({
  controllers: [CodehostAppsController, CodehostPagesController],
  providers: [
    CodehostAppsService,
    {
      provide: AppAddresses,
      inject: [ApiConfig],
      useFactory: (config: ApiConfig) => new AppAddresses(publicUrl(config.http), config.codehost.webUrl),
    },
    {
      provide: PARTS,
      inject: [Database, Sealer, AppAddresses, DeploymentOrganization, Codehost, ConnectionCaches, PinoLogger],
      useFactory: (
        database: Database,
        sealer: Sealer,
        addresses: AppAddresses,
        deployment: DeploymentOrganization,
        { api, tokens }: Codehost,
        caches: ConnectionCaches,
        log: PinoLogger,
      ): InstallParts => ({ database, sealer, addresses, deployment: deployment.id, api, tokens, caches, log }),
    },
    { provide: RegisterApp, inject: [PARTS], useFactory: (parts: InstallParts) => new RegisterApp(parts) },
    { provide: InstallApp, inject: [PARTS], useFactory: (parts: InstallParts) => new InstallApp(parts) },
    { provide: SyncInstallations, inject: [PARTS], useFactory: (parts: InstallParts) => new SyncInstallations(parts) },
  ],
})
export class CodehostModule {}
