import type { Command } from 'commander';
import { registerPolicyChanges } from './policies-change.js';
import { registerPolicyDiff } from './policies-diff.js';
import { registerPolicyReads } from './policies-read.js';
import { registerPolicySimulation } from './policies-simulate.js';
import { registerPolicyTests } from './policies-test.js';
import { registerPolicyValidation } from './policies-validate.js';

/** The group `sandgate policies`; each file brings its own commands. */
const REGISTER: readonly ((policies: Command) => void)[] = [
  registerPolicyReads,
  registerPolicyDiff,
  registerPolicyValidation,
  registerPolicyChanges,
  registerPolicySimulation,
  registerPolicyTests,
];

export function registerPolicyCommands(program: Command): void {
  const policies = program.command('policies').description('List, show, compare and change policies.');
  for (const register of REGISTER) register(policies);
}
