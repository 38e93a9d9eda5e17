/** What the broker offers in `initialize` (CP-315). */
export const OFFERED_PROTOCOL_VERSION = '2025-11-25';

/** Every version that a server may negotiate; with another one nothing is recorded and no tool is called. */
const SUPPORTED_PROTOCOL_VERSIONS = [OFFERED_PROTOCOL_VERSION, '2025-06-18'] as const;

export type ProtocolVersion = (typeof SUPPORTED_PROTOCOL_VERSIONS)[number];

export function isSupportedVersion(version: unknown): version is ProtocolVersion {
  return SUPPORTED_PROTOCOL_VERSIONS.some((supported) => supported === version);
}
