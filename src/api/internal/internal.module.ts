import { Module } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleInit, Type } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { ApiConfig } from '../foundation/foundation.module.js';
import { RunnerGuard } from './auth/runner.guard.js';
import { RunnerTokens } from './auth/runner.guard.js';
import { BodyBudget } from './body/runner-body.js';
import { BrokeredCallService } from './broker/brokered-calls.js';
import { CallPlaces } from './broker/call-places.js';
import { RunEnd } from './broker/run-end.js';
import { ApprovalGate } from './gate/approval-gate.js';
import { ApprovalWaits } from './gate/approval-waits.js';
import { BudgetStops } from './gate/budget-stops.js';
import { GateObserver } from './gate/gate-observer.js';
import { GateService } from './gate/gate.service.js';
import { PermissionEndpoint } from './gate/permission.endpoint.js';
import { Database } from '../../core/record/database.js';
import { RunSpecs } from '../../core/gate/run-specs.js';
import { SchemaStage } from './gate/schema-stage.js';
import { ShownFiles } from './gate/shown-files.js';
import { ToolsCallEndpoint } from './gate/tools-call.endpoint.js';
import { PolicyHistory } from './history/policy-history.js';
import { LimitBreaches } from './limits/limit-breaches.js';
import { RunLimits } from './limits/run-limits.js';
import { CarriedResults } from './llm/carried-results.js';
import { ModelForwarding } from './llm/model-forwarding.js';
import { GatewayObserver } from './llm/gateway-observer.js';
import { ModelGatewayEndpoint } from './llm/model-gateway.endpoint.js';
import { ModelSpend } from './llm/model-spend.js';
import { ProcessLease } from './llm/process-lease.js';
import { RequestPreparation } from './llm/request-preparation.js';
import { Upstreams } from './llm/upstreams.js';
import { EventsEndpoint } from './routes/events.endpoint.js';
import { HeartbeatEndpoint } from './routes/heartbeat.endpoint.js';
import { HeartbeatLane } from './routes/heartbeat-lane.js';
import type { RunnerEndpoint } from './routes/runner-endpoint.js';
import { ResultEndpoint } from './routes/result.endpoint.js';
import { TokenRenewEndpoint } from './routes/token-renew.endpoint.js';
import { WorkspaceEndpoint } from './routes/workspace.endpoint.js';
import { RunnerPlane } from './runner-plane.js';
import { PlaneSockets } from './sockets/plane-sockets.js';
import { TunnelDoor } from './tunnel/tunnel-door.js';
import { TunnelEndpoint } from './tunnel/tunnel.endpoint.js';
import { TunnelObserver } from './tunnel/tunnel-observer.js';
import { TunnelRuns } from './tunnel/tunnel-runs.js';

const ENDPOINTS: Type<RunnerEndpoint>[] = [
  PermissionEndpoint,
  ToolsCallEndpoint,
  EventsEndpoint,
  HeartbeatEndpoint,
  ResultEndpoint,
  WorkspaceEndpoint,
  TokenRenewEndpoint,
  ModelGatewayEndpoint,
  TunnelEndpoint,
];

/**
 * The runner plane (docs/design/runner.md): `/internal` on the listener of the application that imports this module, and on a plane
 * socket for every run of this host. Needs the foundation module, and the logger module.
 */
@Module({
  providers: [
    ...ENDPOINTS,
    ApprovalGate,
    ApprovalWaits,
    BodyBudget,
    BrokeredCallService,
    BudgetStops,
    CallPlaces,
    RunEnd,
    CarriedResults,
    GateObserver,
    GateService,
    GatewayObserver,
    HeartbeatLane,
    LimitBreaches,
    ModelForwarding,
    ModelSpend,
    RunnerGuard,
    PlaneSockets,
    PolicyHistory,
    ProcessLease,
    RequestPreparation,
    RunLimits,
    RunnerPlane,
    RunnerTokens,
    { provide: RunSpecs, useFactory: (database: Database) => new RunSpecs(database), inject: [Database] },
    SchemaStage,
    ShownFiles,
    TunnelDoor,
    TunnelObserver,
    TunnelRuns,
    Upstreams,
  ],
  exports: [PlaneSockets, TunnelDoor],
})
export class InternalModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly plane: RunnerPlane,
    private readonly sockets: PlaneSockets,
    private readonly tunnels: TunnelDoor,
    private readonly config: ApiConfig,
    private readonly module: ModuleRef,
  ) {}

  onModuleInit(): void {
    const endpoints = ENDPOINTS.map((endpoint) => this.module.get<RunnerEndpoint>(endpoint));
    this.plane.register(this.instance(), endpoints);
  }

  /** The sockets take part in the same routing table; it is complete once the instance is ready. */
  async onApplicationBootstrap(): Promise<void> {
    const instance = this.instance();
    if (this.config.http.internalBind === null) this.tunnels.attach(instance.server);
    await this.sockets.start((request, response) => {
      instance.ready().then(
        () => instance.routing(request, response),
        () => response.destroy(),
      );
    });
  }

  private instance(): FastifyInstance {
    return this.host.httpAdapter.getInstance<FastifyInstance>();
  }
}
