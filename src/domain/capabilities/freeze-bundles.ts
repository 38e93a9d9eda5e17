import { SandgateError } from '../errors.js';
import type { FrozenBundle, FrozenServer, FrozenTool } from '../run/spec.js';
import type { BundlePin, BundleServer, BundleVersion } from './bundle.js';
import { findSharedServer } from './pins.js';

/** The pins that a run keeps: those that its keep-list names; all without a list, none with an empty one (CP-078). */
export function narrowPins(pins: readonly BundlePin[], keepList: readonly string[] | null): BundlePin[] {
  return keepList === null ? [...pins] : pins.filter(({ name }) => keepList.includes(name));
}

/**
 * The bundles of a run as its spec holds them (docs/design/tools.md). Members that are for display only are left out.
 * @throws SandgateError `invalid_request` for a server name that two bundles share, or a bundle that still holds a brokered server
 */
export function freezeBundles(bundles: readonly BundleVersion[]): FrozenBundle[] {
  for (const bundle of bundles) refuseBrokered(bundle);
  const shared = findSharedServer(bundles);
  if (shared !== null) {
    throw new SandgateError(
      'invalid_request',
      `capabilities: server name ${shared.server} is in bundle ${shared.first} and in bundle ${shared.second}; keep one of them`,
    );
  }
  return bundles.map(({ id, name, version, definition, definition_digest }) => ({
    id,
    name,
    version,
    definition_digest,
    servers: definition.servers.map(freezeServer),
  }));
}

function freezeServer({ name, command, args, tools }: BundleServer): FrozenServer {
  return { class: 'sandbox', name, command, args, tools: tools.map(freezeTool) };
}

function freezeTool({ name, description, input_schema, output_schema, annotations }: FrozenTool): FrozenTool {
  return {
    name,
    description,
    input_schema,
    ...(output_schema === undefined ? {} : { output_schema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Old bundles could hold a brokered server; it has no command to start (CP-310). */
function refuseBrokered(bundle: BundleVersion): void {
  const brokered = bundle.definition.servers.find((server) => (server.class as string) !== 'sandbox');
  if (brokered === undefined) return;
  throw new SandgateError(
    'invalid_request',
    `agent: capability server ${brokered.name} of bundle ${bundle.name}@${bundle.version} is brokered, and the revision predates connection requirements; append a new revision`,
  );
}

/** Data of the event `capability.frozen`. */
export function describeFrozen(bundles: readonly FrozenBundle[]): { bundles: string[]; tools: number } {
  return {
    bundles: bundles.map(({ name, version }) => `${name}@${version}`),
    tools: bundles.flatMap(({ servers }) => servers).reduce((count, { tools }) => count + tools.length, 0),
  };
}
