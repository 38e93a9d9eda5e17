import { expect } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { bindingProblem } from '../../../src/core/bindings/recheck-binding.js';
import { findBinding } from '../../../src/core/bindings/resource-bindings.js';
import type { TestApi } from '../api/api.js';

/** A run that is bound to the connection of the moment with the server at this address. */
export async function startBoundRun(api: TestApi, url: string): Promise<string> {
  const name = `needs-${uuidv7()}`;
  const requirement = {
    slot: 'all',
    connector: { url },
    required_tools: ['echo'],
    binding_mode: 'organization',
  };
  const made = await api.post('/v1/agents', { name, harness: 'replay', connection_requirements: [requirement] });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  const started = await api.post('/v1/sessions', { agent: name, task: '[{"say":"x"}]' });
  expect([started.status, started.body.error]).toEqual([200, undefined]);
  return started.body.session.id;
}

/** Why the run may not use its connection any more; null while it may. */
export function staleness(api: TestApi, runId: string): Promise<string | null> {
  return api.db.withTenant(api.organizationId, async (tx) => {
    const binding = await findBinding(tx, { runId, slotKind: 'mcp', slot: 'all' });
    if (binding === null) throw new Error('the run has no binding');
    return await bindingProblem(tx, binding);
  });
}
