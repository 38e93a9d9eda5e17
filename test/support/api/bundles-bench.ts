import { expect } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import type { FrozenBundle } from '../../../src/domain/run/spec.js';
import { startApi, type Answer, type TestApi } from './api.js';

/** A server of a bundle, with a tool of each name. */
export const server = (name: string, tools = ['search']) => ({
  class: 'sandbox',
  name,
  command: '/opt/sandgate/tools/kb/1.0.0/bin/kb',
  tools: tools.map((tool) => ({ name: tool, description: `does ${tool}`, input_schema: { type: 'object' } })),
});

/** The bundle that was answered. */
export function bundleIn(answer: Answer): Schemas['CapabilityAnswer'] {
  return accepted(answer).body as unknown as Schemas['CapabilityAnswer'];
}

/** The pins of the revision that was answered, as `name@version`. */
export function pinsIn(answer: Answer): string[] {
  return accepted(answer).body.revision.capability_bundles.map(({ name, version }) => `${name}@${version}`);
}

/** The bundles that the run that was answered is frozen with. */
export function bundlesIn(answer: Answer): FrozenBundle[] | undefined {
  return accepted(answer).body.session.run_spec['capabilities'] as FrozenBundle[] | undefined;
}

function accepted(answer: Answer): Answer {
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer;
}

/** Bundles, agents with pins and runs of them. */
export class BundlesBench {
  private names = 0;

  private constructor(readonly api: TestApi) {}

  static async start(): Promise<BundlesBench> {
    return new BundlesBench(await startApi());
  }

  newName(): string {
    return `bundle-${(this.names += 1)}`;
  }

  publish(name: string, ...servers: object[]): Promise<Answer> {
    return this.api.post('/v1/capabilities', { name, servers: servers.length === 0 ? [server(name)] : servers });
  }

  agentWith(...capability_bundles: string[]): Promise<Answer> {
    return this.api.post('/v1/agents', { name: this.newName(), harness: 'replay', capability_bundles });
  }

  run(agent: string, more: object = {}): Promise<Answer> {
    return this.api.post('/v1/sessions', { agent, task: '[{"say":"x"}]', ...more });
  }
}
