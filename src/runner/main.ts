import { EXIT } from './exit-codes.js';
import type { ExitCode } from './exit-codes.js';
import { messageOf } from './log/failure-text.js';
import { HandOffError, readHandOff } from './launch/hand-off.js';
import { MissingVariableError, readSettings } from './launch/runner-settings.js';
import { logToStdout } from './log/runner-log.js';
import { runRunner } from './runner.js';
import { runSelfCheck } from './self-check/self-check.js';

/** The program inside the sandbox. Its variables and tokens come by descriptor alone; its environment is empty. */
async function main(): Promise<ExitCode> {
  try {
    const { variables, tokens } = readHandOff();
    const settings = readSettings(variables);
    logToStdout(`run ${settings.runId} starts`);
    const selfCheck = () => runSelfCheck(settings.sandboxProfile);
    return await runRunner({ settings, tokens, selfCheck, log: logToStdout });
  } catch (error) {
    logToStdout(messageOf(error));
    if (error instanceof HandOffError) return EXIT.handOffFailed;
    if (error instanceof MissingVariableError) return EXIT.missingVariable;
    return EXIT.failed;
  }
}

const exitCode = await main();
// Tools may have left processes and sockets behind; the run is over, so nothing of it keeps this process alive.
process.exit(exitCode);
