import { createConnector, type ConnectorSettings } from './connector.js';
import { GuardedClient } from './guarded-client.js';
import { NetworkList, readNetwork } from './network-list.js';

/** See `EgressConfig` for the variables. */
export interface EgressSettings {
  /** `address/prefix`, see `readNetwork`. */
  allowCidrs: readonly string[];
  /** http or https. */
  proxy: string | null;
}

/** Everything that this process sends to the outside goes through one of these; one instance per process. */
export class Egress {
  private readonly settings: ConnectorSettings;
  /** Toward hosts that tenants or the internet name: MCP servers, authorization servers, callbacks. */
  readonly guarded: GuardedClient;
  /** Toward hosts that the operator configured: the proxy and the limits, not the classes of addresses. */
  readonly operator: GuardedClient;

  /** @param test what a test puts in the place of the system: its own resolver, its own certificate authority */
  constructor(settings: EgressSettings, test: Pick<ConnectorSettings, 'resolve' | 'ca' | 'openTcp'> = {}) {
    const networks = new NetworkList(settings.allowCidrs.map(readNetwork));
    const proxy = settings.proxy === null ? null : new URL(settings.proxy);
    this.settings = { networks, proxy, ...test };
    this.guarded = new GuardedClient(this.settings, 'guarded');
    this.operator = new GuardedClient(this.settings, 'operator');
  }

  /** As `operator`, for a host that certificates (PEM) of its own vouch for; whoever asks keeps it and closes it. */
  operatorTrusting(ca: string): GuardedClient {
    return new GuardedClient({ ...this.settings, ca }, 'operator');
  }

  /** For clients with connections of their own toward hosts that the operator configured, such as the model gateway. */
  operatorConnector(): ReturnType<typeof createConnector> {
    return createConnector({ ...this.settings, protocols: ['http/1.1', 'h2'] }, 'operator');
  }

  /** Where programs that connect by themselves (git) must go; null: directly, to addresses of `guarded.resolvePinned`. */
  get proxy(): URL | null {
    return this.settings.proxy;
  }

  async close(): Promise<void> {
    await Promise.all([this.guarded.close(), this.operator.close()]);
  }
}
