import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { keycloakHome } from '../../../bootstrap/keycloak.mjs';
import { Keycloak } from './keycloak.js';
import { startPeopleProvider, type PeopleProvider } from './oidc-provider.js';
import { CLIENT_SECRET } from './scripted-provider.js';

/** Where people of several companies sign in: one provider for each, which the commands of docs/identity.md call a realm. */
export interface Companies {
  /** What the commands of the page ask, in the place of the Keycloak that it names. */
  readonly url: string;
  /** What the commands need to know of it. */
  readonly env: Record<string, string>;
  issuer(realm: string): string;
  /** Fills in the forms of the provider. @param company whose password it is */
  enter(page: Page, name: string, company: string): Promise<void>;
  /** What the provider shows where nobody is signed in. */
  asksForName(page: Page): Promise<void>;
  /** Goes on at the provider to the end of signing out there. */
  leave(page: Page): Promise<void>;
  stop(): Promise<void>;
}

export const PROVIDERS = {
  'oidc-provider': (folder: string, ours: string) => OidcCompanies.start(folder, ours),
  Keycloak: (folder: string) => KeycloakCompanies.start(folder),
} as const;

/** A real Keycloak, which the commands of the page set up with its own. */
class KeycloakCompanies implements Companies {
  readonly env: Record<string, string>;

  private constructor(
    private readonly keycloak: Keycloak,
    folder: string,
  ) {
    // Its command keeps its session where Java says that the home is.
    this.env = { KC_CLI_PASSWORD: keycloak.password, KC_OPTS: `-Duser.home=${folder}` };
  }

  static async start(folder: string): Promise<Companies> {
    writeCommand(folder, `exec '${join(keycloakHome(), 'bin', 'kcadm.sh')}' "$@"`);
    return new KeycloakCompanies(await Keycloak.start(), folder);
  }

  get url(): string {
    return new URL(this.issuer('master')).origin;
  }

  issuer(realm: string): string {
    return this.keycloak.issuer(realm);
  }

  async enter(page: Page, name: string, company: string): Promise<void> {
    await page.locator('#username').fill(name);
    await page.locator('#password').fill(`${name}-of-${company}`);
    await page.locator('#kc-login').click();
  }

  asksForName(page: Page): Promise<void> {
    return page.locator('#username').waitFor();
  }

  async leave(page: Page): Promise<void> {
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
  }

  stop(): Promise<void> {
    return this.keycloak.stop();
  }
}

const REALMS: Record<string, string> = { acme: 'acme', globex: 'globex', 'acme-two': 'acme', 'globex-two': 'globex' };

/** `oidc-provider`, one for each realm. What the page asks of Keycloak is answered in its place: a realm is there before it is made. */
class OidcCompanies implements Companies {
  readonly url = 'http://127.0.0.1:1';
  readonly env = {};

  private constructor(private readonly realms: ReadonlyMap<string, PeopleProvider>) {}

  static async start(folder: string, ours: string): Promise<Companies> {
    writeCommand(folder, `if [ "$1" = get ]; then echo '${CLIENT_SECRET}'; else echo done >&2; fi`);
    const made = Object.entries(REALMS).map(async ([realm, company]): Promise<[string, PeopleProvider]> => {
      const provider = await startPeopleProvider(ours, { client_id: 'sandgate' });
      provider.people.set('ada', { email: `ada@${company}.example`, groups: ['platform'] });
      provider.people.set('ben', { email: `ben@${company}.example`, groups: ['engineering'] });
      return [realm, provider];
    });
    return new OidcCompanies(new Map(await Promise.all(made)));
  }

  issuer(realm: string): string {
    const provider = this.realms.get(realm);
    if (provider === undefined) throw new Error(`the page names the realm ${realm}, which is not known here`);
    return provider.url;
  }

  async enter(page: Page, name: string): Promise<void> {
    await page.locator('input[name=login]').fill(name);
    await page.locator('input[name=password]').fill('any');
    const before = page.url();
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.waitForURL((url) => url.href !== before);
    // Consent is asked for once of a person.
    if (page.url().startsWith(new URL(before).origin)) {
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
    }
  }

  asksForName(page: Page): Promise<void> {
    return page.locator('input[name=login]').waitFor();
  }

  async leave(page: Page): Promise<void> {
    await page.getByRole('button', { name: /sign me out/i }).click();
    await page
      .getByText(/sign-out success/i)
      .first()
      .waitFor();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.realms.values()].map((provider) => provider.close()));
  }
}

/** Keycloak's command among those of the shell that runs the page. */
function writeCommand(folder: string, script: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const path = join(folder, 'bin', 'kcadm.sh');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
