import { networks, proxyUrl } from '../../../../src/platform/config/egress-readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

/** What may be reached outside: the receivers of webhooks. */
export class EgressConfig {
  @setting({
    variable: 'DOCSVC_EGRESS_ALLOW_CIDRS',
    read: networks,
    default: () => Object.freeze([]),
    defaultText: 'none',
    about:
      'Networks that webhooks may reach although their class (private, loopback, link-local, …) is closed; plain http is allowed toward these only.',
  })
  readonly allowCidrs!: readonly string[];

  @setting({
    variable: 'DOCSVC_EGRESS_PROXY',
    read: proxyUrl,
    default: null,
    secret: true,
    about:
      'HTTP proxy for everything outbound but loopback and `DOCSVC_EGRESS_ALLOW_CIDRS`. It resolves the names then: let it refuse inside addresses. `HTTP_PROXY` and its kin have no effect.',
  })
  readonly proxy!: string | null;
}
