import { describe, jest } from '@jest/globals';
import { attemptsWithCodex } from './codex-attempts.part.js';
import { runsCodex } from './codex-runs.part.js';
import { CodexLab } from './support/codex-lab.js';
import { shareLab } from './support/share-lab.js';

// The first run on a machine fetches the program.
jest.setTimeout(480_000);

describe('Codex', () => {
  const enter = shareLab((env) => CodexLab.start({ ...env, SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8' }));

  describe('in the sandbox', () => runsCodex(enter));
  // Last: they end with a program that was altered.
  describe('and its attempts to act without asking', () => attemptsWithCodex(enter));
});
