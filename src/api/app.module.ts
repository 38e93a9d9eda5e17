import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { AccountModule } from './account/account.module.js';
import { AdminModule } from './admin/admin.module.js';
import { AgentsModule } from './agents/agents.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { ArtifactsModule } from './artifacts/artifacts.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { CapabilitiesModule } from './capabilities/capabilities.module.js';
import { CatalogModule } from './catalog/catalog.module.js';
import { CodehostModule } from './codehost/codehost.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { DeviceModule } from './device/device.module.js';
import { EventsModule } from './events/events.module.js';
import { ConnectionsModule } from './connections/connections.module.js';
import { FoundationModule, type Foundation } from './foundation/foundation.module.js';
import { HarnessesModule } from './harnesses/harnesses.module.js';
import { HealthModule } from './health/health.module.js';
import { RefusalAudit } from './auth/refusal-audit.js';
import { RefusalObserver } from './http/audited.js';
import { ErrorFilter } from './http/error.filter.js';
import { KnownMembersInterceptor } from './openapi/known-members.interceptor.js';
import { RouteTable } from './http/route-table.js';
import { RequestValidationPipe } from './http/validation.pipe.js';
import { IngressModule } from './ingress/ingress.module.js';
import { LoginModule } from './login/login.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OauthModule } from './oauth/oauth.module.js';
import { OrgModule } from './org/org.module.js';
import { PoliciesModule } from './policies/policies.module.js';
import { ReferenceModule } from './reference/reference.module.js';
import { requestLogging } from './request-log.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SimulationModule } from './simulation/simulation.module.js';
import { TriggersModule } from './triggers/triggers.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';

const RESOURCES = [
  AuthModule,
  AccountModule,
  HealthModule,
  HarnessesModule,
  AgentsModule,
  CapabilitiesModule,
  CatalogModule,
  McpModule,
  ConnectionsModule,
  CodehostModule,
  PoliciesModule,
  SimulationModule,
  WorkspacesModule,
  SessionsModule,
  TriggersModule,
  ArtifactsModule,
  DeliveriesModule,
  DeviceModule,
  EventsModule,
  ApprovalsModule,
  AuditModule,
  OauthModule,
  LoginModule,
  IngressModule,
  MetricsModule,
  OrgModule,
  AdminModule,
  ReferenceModule,
];

/** The public plane: every resource under `/v1`, with the guard, the error shape and the request checks that they share. */
@Module({})
export class AppModule {
  static forProcess(foundation: Foundation, routes: RouteTable, further: DynamicModule['imports'] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        FoundationModule.forProcess(foundation),
        LoggerModule.forRoot(requestLogging(foundation.config.log.level, foundation.logTo)),
        ...RESOURCES,
        ...further,
      ],
      providers: [
        { provide: RefusalObserver, useClass: RefusalAudit },
        { provide: RouteTable, useValue: routes },
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_INTERCEPTOR, useClass: KnownMembersInterceptor },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}
