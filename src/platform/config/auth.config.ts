import { adminToken, flag } from './readers.js';
import { setting } from './setting.js';

/** Who may call the public plane. Without single sign-on the deployment has one administrator. */
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
    about: 'Multi-user mode. Not in this version: `1` refuses the boot, because ignoring it would open what it closes.',
  })
  readonly requireSso!: boolean;
}
