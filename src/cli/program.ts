import { Command } from 'commander';
import { nearestName } from '../domain/nearest-name.js';
import { registerAdminCommands } from './commands/admin.js';
import { registerAgentCommands } from './commands/agents.js';
import { registerApplyCommand } from './commands/apply.js';
import { registerApprovalCommands } from './commands/approvals.js';
import { registerAuditCommands } from './commands/audit.js';
import { registerCapabilityCommands } from './commands/capabilities.js';
import { registerCatalogCommands } from './commands/catalog.js';
import { registerCleanCommand } from './commands/clean.js';
import { registerCodehostCommands } from './commands/codehost.js';
import { registerConfigCommand } from './commands/config.js';
import { registerConformanceCommands } from './commands/conformance.js';
import { registerConnectionCommands } from './commands/connections.js';
import { registerContextCommands } from './commands/contexts.js';
import { registerDeliveryCommands } from './commands/deliveries.js';
import { registerDemoCommand } from './commands/demo.js';
import { registerDoctorCommand } from './commands/doctor.js';
import { registerHarnessCommands } from './commands/harness.js';
import { registerLoginCommands } from './commands/login.js';
import { registerNetworkCommands } from './commands/network.js';
import { registerOrgCommands } from './commands/org.js';
import { registerPolicyCommands } from './commands/policies.js';
import { registerRunCommand } from './commands/run.js';
import { registerRunsCommands } from './commands/runs.js';
import { registerServeCommand } from './commands/serve.js';
import { registerStartCommand } from './commands/start.js';
import { registerTokenCommands } from './commands/tokens.js';
import { registerToolCommands } from './commands/tools.js';
import { registerTriggerCommands } from './commands/triggers.js';
import { registerVersionCommand } from './commands/version.js';
import { registerWebhookCommands } from './commands/webhooks.js';
import { registerWhoamiCommand } from './commands/whoami.js';

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 not found, 4 not authorized, 5 conflict, 6 no server,
10 run failed, 11 run cancelled, 12 run over budget, 13 draft changes verdicts (--fail-on), 69 a needed part is missing,
130 interrupted.

Server and token come from --server, --context and --token-file; SANDGATE_URL and SANDGATE_TOKEN, else SERVICE_API_URL and
SERVICE_ADMIN_TOKEN; the context in use (sandgate login, sandgate context use); the configuration file (SANDGATE_CONFIG, else
~/.config/sandgate/config.yaml with url, token or token_file); else the installation on this machine.`;

/** The `sandgate` command with everything below it. */
export function buildProgram(): Command {
  const program = new Command('sandgate')
    .description(
      'Control plane for AI coding agents: every run in a sandbox, every tool call through a gate, every event on record.',
    )
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--server <url>', 'address of the server')
    .option('--context <name>', 'a server that was signed in to; local for the installation on this machine')
    .option('--token-file <path>', 'file that holds the bearer token')
    .option('--data-dir <path>', 'state folder of the local installation')
    .showHelpAfterError()
    .addHelpText('after', EXIT_CODES)
    .exitOverride();
  const register = [
    registerDemoCommand,
    registerStartCommand,
    registerServeCommand,
    registerDoctorCommand,
    registerLoginCommands,
    registerContextCommands,
    registerWhoamiCommand,
    registerTokenCommands,
    registerRunCommand,
    registerApplyCommand,
    registerRunsCommands,
    registerApprovalCommands,
    registerAgentCommands,
    registerTriggerCommands,
    registerCatalogCommands,
    registerConnectionCommands,
    registerCodehostCommands,
    registerCapabilityCommands,
    registerToolCommands,
    registerHarnessCommands,
    registerNetworkCommands,
    registerPolicyCommands,
    registerDeliveryCommands,
    registerWebhookCommands,
    registerAuditCommands,
    registerOrgCommands,
    registerConformanceCommands,
    registerAdminCommands,
    registerConfigCommand,
    registerCleanCommand,
    registerVersionCommand,
  ];
  for (const add of register) add(program);
  for (const command of program.commands) inherit(command);
  return program;
}

/** Sub-commands end by throwing too, so that one place decides about exit codes. */
function inherit(command: Command): void {
  command.exitOverride();
  command.configureOutput({ outputError: (text, write) => write(`${text}${commandMeant(command)}`) });
  for (const inner of command.commands) inherit(inner);
}

/**
 * A group with a default command takes a misspelt one for an argument of the default, which has no room for it: the refusal then says
 * which command was probably meant.
 */
function commandMeant(command: Command): string {
  const [first] = command.parent?.args ?? [];
  const siblings = command.parent?.commands.map((sibling) => sibling.name()) ?? [];
  const isTooMany = command.args.length > command.registeredArguments.length;
  if (first === undefined || siblings.includes(first) || first.startsWith('-') || !isTooMany) return '';
  return `(Did you mean ${command.parent?.name()} ${nearestName(first, siblings)}?)\n`;
}
