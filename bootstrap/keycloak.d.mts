/** The folder of the prepared program; `bin/kc.sh start --optimized` serves from it with its state in memory. */
export function keycloakHome(): string;
/** How it is started: on loopback, its state in memory. Who may administer it comes with the environment. */
export function keycloakServer(port: number): { url: string; program: string; argv: string[] };
/** Brings Keycloak where the cache has none. */
export function ensureKeycloak(): void;
