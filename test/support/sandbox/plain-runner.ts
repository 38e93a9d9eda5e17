import { readHandOff } from '../../../src/runner/launch/hand-off.js';
import { readSettings } from '../../../src/runner/launch/runner-settings.js';
import { logToStdout } from '../../../src/runner/log/runner-log.js';
import { runRunner } from '../../../src/runner/runner.js';
import { passUnchecked } from './pass-unchecked.js';

/** The runner as the plain host starts it: everything but the self-check of a sandbox that is not there. */
const { variables, tokens } = readHandOff();
const settings = readSettings(variables);
process.exit(await runRunner({ settings, tokens, selfCheck: passUnchecked, log: logToStdout }));
