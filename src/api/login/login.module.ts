import { Module } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { FinishLogin } from '../../core/identity/sign-in/finish-login.js';
import { KeptProviders } from '../../core/identity/sign-in/kept-providers.js';
import { LoginSwitches } from '../../core/identity/sign-in/login-switches.js';
import type { SignInParts } from '../../core/identity/sign-in/sign-in-parts.js';
import { StartLogin } from '../../core/identity/sign-in/start-login.js';
import { Database } from '../../core/record/database.js';
import { publicUrl } from '../../platform/config/index.js';
import { Egress } from '../../platform/egress/egress.js';
import { OidcHttp } from '../../platform/oidc/oidc-http.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { DeploymentOrganization } from '../auth/deployment-organization.js';
import { EntryController } from './entry.controller.js';
import { LoginController } from './login.controller.js';
import { SwitchController } from './switch.controller.js';

const PARTS = Symbol('what signing in needs');

/** Signing in by the identity provider of an organization, and switching between accounts (docs/design/identity.md). */
@Module({
  controllers: [EntryController, LoginController, SwitchController],
  providers: [
    { provide: OidcHttp, inject: [Egress], useFactory: (egress: Egress) => new OidcHttp(egress.operator) },
    {
      provide: PARTS,
      inject: [ApiConfig, Database, Sealer, OidcHttp, DeploymentOrganization, PinoLogger],
      useFactory: createParts,
    },
    { provide: StartLogin, inject: [PARTS], useFactory: (parts: SignInParts) => new StartLogin(parts) },
    { provide: FinishLogin, inject: [PARTS], useFactory: (parts: SignInParts) => new FinishLogin(parts) },
    { provide: LoginSwitches, inject: [PARTS], useFactory: (parts: SignInParts) => new LoginSwitches(parts) },
  ],
  exports: [OidcHttp],
})
export class LoginModule {}

function createParts(
  { auth, http: listener }: ApiConfig,
  database: Database,
  sealer: Sealer,
  http: OidcHttp,
  deployment: DeploymentOrganization,
  log: PinoLogger,
): SignInParts {
  const windows = { maxAgeSecs: auth.oidcDiscoveryMaxAgeSecs, staleGraceSecs: auth.oidcDiscoveryStaleGraceSecs };
  return {
    database,
    sealer,
    http,
    providers: new KeptProviders(database, http, windows),
    origin: publicUrl(listener).replace(/\/+$/, ''),
    deployment: deployment.id,
    windows: { idleSecs: auth.sessionIdleSecs, absoluteSecs: auth.sessionAbsoluteSecs },
    skewSecs: auth.oidcClockSkewSecs,
    log,
  };
}
