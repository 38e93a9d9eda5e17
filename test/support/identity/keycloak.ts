import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keycloakServer } from '../../../bootstrap/keycloak.mjs';
import { removeTree } from '../../../src/platform/host/remove-tree.js';
import { freePorts } from '../installation/free-ports.js';

const START_MS = 180_000;
const STOP_MS = 20_000;
const LAST_LINES = 20;
const ADMIN = 'admin';

/** A person of a realm. Address and password are made of the name. */
export interface KeycloakPerson {
  name: string;
  groups: string[];
}

/** Keycloak as a process with its state in memory; each realm stands for the provider of one company. */
export class Keycloak {
  /** Of the person `admin`, who may do everything. */
  readonly password = randomBytes(12).toString('hex');
  private readonly folder = mkdtempSync(join(tmpdir(), 'keycloak-'));
  private child: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<Keycloak> {
    const [port = 0] = await freePorts(1);
    const keycloak = new Keycloak(port);
    try {
      await keycloak.serve();
      return keycloak;
    } catch (error) {
      await keycloak.stop();
      throw error;
    }
  }

  /** The issuer of a realm. */
  issuer(realm: string): string {
    return `${this.url}/realms/${realm}`;
  }

  /** A company: its people in groups, and Sandgate as a confidential client that is told the groups. @returns the client's secret */
  async addRealm(realm: string, redirectUri: string, people: KeycloakPerson[]): Promise<string> {
    const secret = randomBytes(16).toString('hex');
    const groups = [...new Set(people.flatMap((person) => person.groups))];
    await this.ask('POST', '/admin/realms', {
      realm,
      enabled: true,
      sslRequired: 'none',
      groups: groups.map((name) => ({ name })),
      users: people.map(({ name, groups: of }) => userOf(realm, name, of)),
      clients: [clientOf(redirectUri, secret)],
    });
    return secret;
  }

  static passwordOf(name: string): string {
    return `password-of-${name}`;
  }

  async stop(): Promise<void> {
    const { child } = this;
    const pid = child?.pid;
    this.child = undefined;
    if (child !== undefined && pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      const killer = setTimeout(() => process.kill(-pid, 'SIGKILL'), STOP_MS);
      await exit;
      clearTimeout(killer);
    }
    await removeTree(this.folder);
  }

  private get url(): string {
    return keycloakServer(this.port).url;
  }

  private async serve(): Promise<void> {
    const logFile = join(this.folder, 'keycloak.log');
    const log = openSync(logFile, 'a');
    const { program, argv } = keycloakServer(this.port);
    // The script passes SIGTERM on to Java; what does not end by it is killed with its whole group.
    const child = spawn(program, argv, {
      env: {
        PATH: process.env['PATH'],
        HOME: this.folder,
        JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
        KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN,
        KC_BOOTSTRAP_ADMIN_PASSWORD: this.password,
      },
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.child = child;
    for (const deadline = Date.now() + START_MS; !(await this.answers()); await sleep(200)) {
      if (child.exitCode === null && Date.now() < deadline) continue;
      const last = readFileSync(logFile, 'utf8').split('\n').slice(-LAST_LINES);
      throw new Error(`Keycloak does not start:\n${last.join('\n')}`);
    }
  }

  private async answers(): Promise<boolean> {
    try {
      return (await fetch(this.issuer('master'))).ok;
    } catch {
      return false;
    }
  }

  private async ask(method: string, path: string, body: object): Promise<void> {
    const token = await this.adminToken();
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Keycloak answers ${method} ${path} with ${answer.status}: ${await answer.text()}`);
  }

  private async adminToken(): Promise<string> {
    const answer = await fetch(`${this.issuer('master')}/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'password',
        client_id: 'admin-cli',
        username: ADMIN,
        password: this.password,
      }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    return token;
  }
}

function userOf(realm: string, name: string, groups: string[]): object {
  return {
    username: name,
    enabled: true,
    email: `${name}@${realm}.example`,
    emailVerified: true,
    firstName: name,
    lastName: realm,
    groups: groups.map((group) => `/${group}`),
    credentials: [{ type: 'password', value: Keycloak.passwordOf(name), temporary: false }],
  };
}

function clientOf(redirectUri: string, secret: string): object {
  return {
    clientId: 'sandgate',
    secret,
    redirectUris: [redirectUri],
    attributes: { 'post.logout.redirect.uris': '+', 'pkce.code.challenge.method': 'S256' },
    protocolMappers: [
      {
        name: 'groups',
        protocol: 'openid-connect',
        protocolMapper: 'oidc-group-membership-mapper',
        config: {
          'claim.name': 'groups',
          'full.path': 'false',
          'id.token.claim': 'true',
          'access.token.claim': 'true',
        },
      },
    ],
  };
}
