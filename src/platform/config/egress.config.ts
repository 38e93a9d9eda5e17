import { networks, proxyUrl } from './egress-readers.js';
import { flag, integer } from './readers.js';
import { setting } from './setting.js';

/** What the control plane may reach outside, by which way and how often (docs/design/egress.md, docs/design/broker.md). */
export class EgressConfig {
  @setting({
    variable: 'SERVICE_EGRESS_ALLOW_CIDRS',
    read: networks,
    default: () => Object.freeze([]),
    defaultText: 'none',
    about:
      'Networks that connections of tenants may reach although their class (private, loopback, link-local, …) is closed; plain http is allowed toward these only. Exactly these are opened: see [Outbound traffic](security.md#outbound-traffic).',
  })
  readonly allowCidrs!: readonly string[];

  @setting({
    variable: 'SERVICE_EGRESS_PROXY',
    read: proxyUrl,
    default: null,
    secret: true,
    about:
      'HTTP proxy for everything outbound (MCP servers, authorization servers, git, notices, model providers) but loopback and `SERVICE_EGRESS_ALLOW_CIDRS`. It resolves the names then: let it refuse inside addresses. `HTTP_PROXY` and its kin have no effect.',
  })
  readonly proxy!: string | null;

  @setting({
    variable: 'SERVICE_EGRESS_RATE_TENANT_PER_MIN',
    read: integer(0, 1_000_000),
    default: 120,
    about: 'Brokered calls that one organization may send in a minute; 0: any number.',
  })
  readonly tenantPerMin!: number;

  @setting({
    variable: 'SERVICE_EGRESS_RATE_USER_PER_MIN',
    read: integer(0, 1_000_000),
    default: 60,
    about: 'Brokered calls that all runs of one user together may send in a minute; 0: any number.',
  })
  readonly userPerMin!: number;

  @setting({
    variable: 'SERVICE_EGRESS_RATE_CONNECTION_PER_MIN',
    read: integer(0, 1_000_000),
    default: 60,
    about: 'Brokered calls that may go through one connection in a minute; 0: any number.',
  })
  readonly connectionPerMin!: number;

  @setting({
    variable: 'SERVICE_EGRESS_RATE_HOST_PER_MIN',
    read: integer(0, 1_000_000),
    default: 120,
    about:
      'Brokered calls that one organization may send to one host in a minute, and, eight times as many, that one process sends there for all; 0: any number.',
  })
  readonly hostPerMin!: number;

  @setting({
    variable: 'SERVICE_EGRESS_BREAKER_THRESHOLD',
    read: integer(0, 10_000),
    default: 5,
    about:
      'Failures in a row (no connection, broken answer, timeout, 5xx) after which a connection is not used for `SERVICE_EGRESS_BREAKER_OPEN_SECS`; then one call tries. 0: never.',
  })
  readonly breakerThreshold!: number;

  @setting({
    variable: 'SERVICE_EGRESS_BREAKER_OPEN_SECS',
    read: integer(0, 86_400),
    default: 60,
    about: 'How long a connection rests after too many failures in a row; 0: not at all.',
  })
  readonly breakerOpenSecs!: number;

  @setting({
    variable: 'SERVICE_EGRESS_DURABLE',
    read: flag,
    default: true,
    about:
      'Whether all processes of the deployment count together, in the database. Without it each counts for itself.',
  })
  readonly durable!: boolean;
}
