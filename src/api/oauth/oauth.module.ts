import { Module } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import { ToolSnapshots } from '../../core/connections/tool-snapshots.js';
import { publicUrl } from '../../platform/config/index.js';
import { Database } from '../../core/record/database.js';
import { GuardedClient } from '../../platform/egress/guarded-client.js';
import { AccessTokens } from '../../core/oauth/access-tokens.js';
import { ConnectCallback, type TakenSnapshot } from '../../core/oauth/connect-callback.js';
import { ConnectFlows, type ConnectParts } from '../../core/oauth/connect-flows.js';
import { GoPage } from '../../core/oauth/go-page.js';
import { OAuthHttp } from '../../core/oauth/oauth-http.js';
import { PublicAddress } from '../../core/oauth/public-address.js';
import { TokenRequests } from '../../core/oauth/token-requests.js';
import { Sealer } from '../../platform/seal/sealer.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { notFound } from '../../domain/resource-id.js';
import { ClientDocumentController } from './client-document.controller.js';
import { OauthPagesController } from './oauth-pages.controller.js';
import { OauthStartController } from './oauth-start.controller.js';
import { SessionVisitor } from './session-visitor.js';

const PARTS = Symbol('what connecting needs');

/** Connecting by OAuth: start, the two pages, and the document by which servers know us (docs/design/oauth.md). */
@Module({
  controllers: [OauthStartController, OauthPagesController, ClientDocumentController],
  providers: [
    SessionVisitor,
    {
      provide: PublicAddress,
      inject: [ApiConfig],
      useFactory: (config: ApiConfig) => new PublicAddress(publicUrl(config.http)),
    },
    {
      provide: PARTS,
      inject: [Database, Sealer, GuardedClient, PublicAddress, ApiConfig],
      useFactory: (
        database: Database,
        sealer: Sealer,
        client: GuardedClient,
        address: PublicAddress,
        { auth }: ApiConfig,
      ): ConnectParts => ({
        database,
        sealer,
        http: new OAuthHttp(client),
        address,
        requireSession: auth.requireSso,
      }),
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
  const takeSnapshot = async (organizationId: string, connectionId: string): Promise<TakenSnapshot> => {
    const connection = await records.read(organizationId, connectionId);
    if (connection === null) throw notFound('connection');
    const taken = await snapshots.take(connection);
    return { version: taken.version, tools: taken.tools.length };
  };
  return new ConnectCallback({ ...parts, requests: new TokenRequests(parts.http), tokens, log, takeSnapshot });
}
