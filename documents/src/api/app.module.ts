import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { AccountModule } from './account/account.module.js';
import { AuditModule } from './audit/audit.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { DocumentsModule } from './documents/documents.module.js';
import { ExtractionsModule } from './extractions/extractions.module.js';
import { EgressModule } from './foundation/egress.module.js';
import { FoundationModule, type Foundation } from './foundation/foundation.module.js';
import { StoreModule } from './foundation/store.module.js';
import { HealthModule } from './health/health.module.js';
import { AccessGuard } from './http/access.guard.js';
import { Door } from './http/door.js';
import { ErrorFilter } from './http/error.filter.js';
import { EtagInterceptor } from './http/etag.js';
import { IdempotencyInterceptor } from './http/idempotency.interceptor.js';
import { KnownParametersInterceptor } from './openapi/known-parameters.interceptor.js';
import { RouteTable } from './http/route-table.js';
import { RequestValidationPipe } from './http/validation.pipe.js';
import { OauthModule } from './oauth/oauth.module.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { OpenApiHolder } from './openapi/openapi-holder.js';
import { PagesModule } from './pages/pages.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { SchemasModule } from './schemas/schemas.module.js';
import { SearchModule } from './search/search.module.js';
import { requestLogging } from './request-log.js';
import { UploadsModule } from './uploads/uploads.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';

/** Each resource of the interface; a new one has its line here. */
const RESOURCES = [
  HealthModule,
  OauthModule,
  AccountModule,
  AuditModule,
  WorkspacesModule,
  ProjectsModule,
  ClientsModule,
  WebhooksModule,
  PagesModule,
  SearchModule,
  SchemasModule,
  ExtractionsModule,
  UploadsModule,
  DocumentsModule,
];

/** Every resource, with the guard, the error body and the checks of requests that they share. */
@Module({})
export class AppModule {
  static forProcess(foundation: Foundation, routes: RouteTable): DynamicModule {
    return {
      module: AppModule,
      imports: [
        FoundationModule.forProcess(foundation),
        EgressModule,
        StoreModule,
        LoggerModule.forRoot(requestLogging(foundation.config.log.level, foundation.logTo)),
        ...RESOURCES,
      ],
      controllers: [OpenApiController],
      providers: [
        OpenApiHolder,
        Door,
        { provide: RouteTable, useValue: routes },
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_GUARD, useClass: AccessGuard },
        // The outermost first: what is kept for a key is the answer as it is sent.
        { provide: APP_INTERCEPTOR, useClass: KnownParametersInterceptor },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        { provide: APP_INTERCEPTOR, useClass: EtagInterceptor },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}
