/** The folder of the prepared program; `bin/kc.sh start --optimized` serves from it with its state in memory. */
export function keycloakHome(): string;
/** Brings Keycloak where the cache has none. */
export function ensureKeycloak(): void;
