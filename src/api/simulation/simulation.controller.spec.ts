import { describe, expect, it } from '@jest/globals';
import { PERMISSION_METADATA } from '../auth/permission.decorator.js';
import { SimulationController } from './simulation.controller.js';

describe('who may simulate', () => {
  it('those who may publish, since the answer shows parts of commands', () => {
    const { simulatePolicy } = SimulationController.prototype as unknown as Record<string, object>;
    expect(Reflect.getMetadata(PERMISSION_METADATA, simulatePolicy ?? {})).toBe('policies.write');
  });
});
