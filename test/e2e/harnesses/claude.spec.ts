import { describe, jest } from '@jest/globals';
import { attemptsWithClaude } from './claude-attempts.part.js';
import { runsClaude } from './claude-runs.part.js';
import { startClaudeLab } from './support/claude-lab.js';
import { shareLab } from './support/share-lab.js';

// The first run on a machine fetches the program.
jest.setTimeout(480_000);

describe('Claude Code', () => {
  const enter = shareLab((env) => startClaudeLab(env));

  describe('in the sandbox', () => runsClaude(enter));
  // Last: they end with a program that was altered.
  describe('and its attempts to act without asking', () => attemptsWithClaude(enter));
});
