import { describe, jest } from '@jest/globals';
import { attemptsWithBuiltin } from './builtin-attempts.part.js';
import { chatsWithLocalModel } from './builtin-chat.part.js';
import { startBuiltinLab } from './support/builtin-lab.js';
import { shareLab } from './support/share-lab.js';
import { writesUnstorable } from './unstorable-calls.part.js';

jest.setTimeout(240_000);

describe('the built-in agent', () => {
  // Logs say most, because nothing that cannot be stored may stand in them.
  const enter = shareLab((env) => startBuiltinLab({ ...env, SERVICE_LOG_LEVEL: 'debug' }));

  describe('with a local model', () => chatsWithLocalModel(enter));
  describe('with a model that writes what cannot be stored', () => writesUnstorable(enter));
  describe('and the attempts of a model to make it act without asking', () => attemptsWithBuiltin(enter));
});
