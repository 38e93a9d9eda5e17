import { Module } from '@nestjs/common';
import { IdpConfigs } from '../../core/identity/management/idp-configs.js';
import { IdpMoves } from '../../core/identity/management/idp-moves.js';
import { OrgChanges } from '../../core/identity/management/org-changes.js';
import { Organizations } from '../../core/organizations/organizations.js';
import { fixerHarness } from '../../core/organizations/seed-agent.js';
import { Database } from '../../core/record/database.js';
import { OidcHttp } from '../../platform/oidc/oidc-http.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { LoginModule } from '../login/login.module.js';
import { OrgModule } from '../org/org.module.js';
import { AdminIdpController } from './admin-idp.controller.js';
import { AdminIdpService } from './admin-idp.service.js';
import { AdminMembersController } from './admin-members.controller.js';
import { AdminOrgsController } from './admin-orgs.controller.js';
import { AdminOrgsService } from './admin-orgs.service.js';

/** The operator's plane: organizations, their identity providers and members, and the log of privileged steps. */
@Module({
  imports: [OrgModule, LoginModule],
  controllers: [AdminOrgsController, AdminIdpController, AdminMembersController],
  providers: [
    AdminOrgsService,
    AdminIdpService,
    {
      provide: Organizations,
      inject: [Database, ApiConfig],
      useFactory: (database: Database, { harness }: ApiConfig) => new Organizations(database, fixerHarness(harness)),
    },
    {
      provide: OrgChanges,
      inject: [Database, Organizations],
      useFactory: (database: Database, organizations: Organizations) => new OrgChanges(database, organizations),
    },
    {
      provide: IdpConfigs,
      inject: [Database, Sealer, OidcHttp],
      useFactory: (database: Database, sealer: Sealer, http: OidcHttp) => new IdpConfigs({ database, sealer, http }),
    },
    {
      provide: IdpMoves,
      inject: [Database, IdpConfigs],
      useFactory: (database: Database, configs: IdpConfigs) => new IdpMoves(database, configs),
    },
  ],
})
export class AdminModule {}
