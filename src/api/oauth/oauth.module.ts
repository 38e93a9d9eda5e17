import { Module } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { ConnectionRecords } from '../../platform/connections/connection-records.js';
import { ToolSnapshots } from '../../platform/connections/tool-snapshots.js';
import { publicUrl } from '../../platform/config/index.js';
import { Database } from '../../platform/db/database.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { AccessTokens } from '../../platform/oauth/access-tokens.js';
import { ConnectCallback, type TakenSnapshot } from '../../platform/oauth/connect-callback.js';
import { ConnectFlows, type ConnectParts } from '../../platform/oauth/connect-flows.js';
import { GoPage } from '../../platform/oauth/go-page.js';
import { OAuthHttp } from '../../platform/oauth/oauth-http.js';
import { PublicAddress } from '../../platform/oauth/public-address.js';
import { TokenRequests } from '../../platform/oauth/token-requests.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { ApiConfig } from '../foundation.module.js';
import { notFound } from '../http/resource-id.js';
import { ClientDocumentController } from './client-document.controller.js';
import { OauthPagesController } from './oauth-pages.controller.js';
import { OauthStartController } from './oauth-start.controller.js';

const PARTS = Symbol('what connecting needs');

/** Connecting by OAuth: start, the two pages, and the document by which servers know us (docs/design/oauth.md). */
@Module({
  controllers: [OauthStartController, OauthPagesController, ClientDocumentController],
  providers: [
    {
      provide: PublicAddress,
      inject: [ApiConfig],
      useFactory: (config: ApiConfig) => new PublicAddress(publicUrl(config.http)),
    },
    {
      provide: PARTS,
      inject: [Database, Sealer, GuardedClient, PublicAddress],
      useFactory: (
        database: Database,
        sealer: Sealer,
        client: GuardedClient,
        address: PublicAddress,
      ): ConnectParts => ({ database, sealer, http: new OAuthHttp(client), address }),
    },
    { provide: ConnectFlows, inject: [PARTS], useFactory: (parts: ConnectParts) => new ConnectFlows(parts) },
    { provide: GoPage, inject: [PARTS], useFactory: (parts: ConnectParts) => new GoPage(parts) },
    {
      provide: ConnectCallback,
      inject: [PARTS, AccessTokens, ConnectionRecords, ToolSnapshots, PinoLogger],
      useFactory: createCallback,
    },
  ],
  exports: [ConnectFlows],
})
export class OauthModule {}

function createCallback(
  parts: ConnectParts,
  tokens: AccessTokens,
  records: ConnectionRecords,
  snapshots: ToolSnapshots,
  log: PinoLogger,
): ConnectCallback {
  const photograph = async (organizationId: string, connectionId: string): Promise<TakenSnapshot> => {
    const connection = await records.read(organizationId, connectionId);
    if (connection === null) throw notFound('connection');
    const taken = await snapshots.take(connection);
    return { version: taken.version, tools: taken.tools.length };
  };
  return new ConnectCallback({ ...parts, requests: new TokenRequests(parts.http), tokens, log, photograph });
}
