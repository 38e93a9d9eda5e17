/** `npm run keycloak`: a Keycloak to try sign-in with, on this machine alone, until Ctrl+C. Its state is gone afterwards. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import { keycloakHome, keycloakServer } from './keycloak.mjs';
import { runForeground, say } from './processes.mjs';

const PORT = 8080;

const [port = PORT] = process.argv.slice(2);
const { url, program, argv } = keycloakServer(Number(port));
process.env.KC_BOOTSTRAP_ADMIN_USERNAME ??= 'admin';
process.env.KC_BOOTSTRAP_ADMIN_PASSWORD ??= randomBytes(9).toString('base64url');
process.env.JAVA_OPTS_KC_HEAP ??= '-Xms64m -Xmx512m';
say(`Keycloak will answer at ${url} in some seconds, and forgets everything when it ends.`);
say(
  `Its administrator is ${process.env.KC_BOOTSTRAP_ADMIN_USERNAME}, password ${process.env.KC_BOOTSTRAP_ADMIN_PASSWORD}`,
);
say(`Its commands are in ${path.join(keycloakHome(), 'bin')}`);
process.exitCode = await runForeground(program, argv);
