import { adminToken, flag, integer } from './readers.js';
import { setting } from './setting.js';

/** Who may call the public plane, and how people sign in (docs/design/identity.md). */
export class AuthConfig {
  @setting({
    variable: 'SERVICE_ADMIN_TOKEN',
    read: adminToken,
    default: null,
    secret: true,
    about: 'Bearer token of the administrator. The API needs it; `sandgate start` generates one in the data folder.',
  })
  readonly adminToken!: string | null;

  @setting({
    variable: 'SERVICE_REQUIRE_SSO',
    read: flag,
    default: false,
    about: 'Multi-user mode: people sign in with their organization, and the admin token reaches `/v1/admin` alone.',
  })
  readonly requireSso!: boolean;

  @setting({
    variable: 'SERVICE_TRUST_FORWARDED_FOR',
    read: flag,
    default: false,
    about:
      "Take a caller's address from `x-forwarded-for` (its first element), else `x-real-ip`. Only behind a proxy that sets them.",
  })
  readonly trustForwardedFor!: boolean;

  @setting({
    variable: 'SERVICE_SESSION_IDLE_SECS',
    read: integer(60, 31_536_000),
    default: 28_800,
    about:
      'Seconds after which an unused browser session ends. Uses are noted once a minute, so it may end up to a minute earlier.',
  })
  readonly sessionIdleSecs!: number;

  @setting({
    variable: 'SERVICE_SESSION_ABSOLUTE_SECS',
    read: integer(60, 31_536_000),
    default: 604_800,
    about: 'Seconds after which a browser session ends however active it is.',
  })
  readonly sessionAbsoluteSecs!: number;

  @setting({
    variable: 'SERVICE_SESSION_REAUTH_SECS',
    read: integer(1, 31_536_000),
    default: 60,
    about: 'Seconds between two checks of who follows an event stream; more than 60 counts as 60.',
  })
  readonly sessionReauthSecs!: number;

  @setting({
    variable: 'SERVICE_OIDC_DISCOVERY_MAX_AGE_SECS',
    read: integer(1, 31_536_000),
    default: 3600,
    about: "Seconds for which an identity provider's metadata and keys count as fresh.",
  })
  readonly oidcDiscoveryMaxAgeSecs!: number;

  @setting({
    variable: 'SERVICE_OIDC_DISCOVERY_STALE_GRACE_SECS',
    read: integer(0, 31_536_000),
    default: 86_400,
    about: 'Seconds beyond that for which they still serve while the provider cannot be reached.',
  })
  readonly oidcDiscoveryStaleGraceSecs!: number;

  @setting({
    variable: 'SERVICE_OIDC_CLOCK_SKEW_SECS',
    read: integer(0, 600),
    default: 60,
    about: "Seconds by which an identity provider's clock may differ.",
  })
  readonly oidcClockSkewSecs!: number;
}
