import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Command } from 'commander';
import type { JsonObject } from '../../domain/json.js';
import { canonicalContent, canonicalPolicy } from '../../domain/policy/canonical-form.js';
import { policyToYaml, validatePolicyYaml } from '../../domain/policy/policy-yaml.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { colourDiff } from '../terminal/colour-diff.js';
import { block, inline } from '../terminal/escape.js';
import { printDocument, write } from '../terminal/output.js';
import { readNamedText } from './document.js';

/** One side of a comparison, every default filled in, so that only meaning differs and never spelling. */
interface Side {
  readonly label: string;
  readonly yaml: string;
}

const VERSION = /^v?([0-9]{1,10})$/;

export function registerPolicyDiff(policies: Command): void {
  policies
    .command('diff')
    .description('Compare two versions of a policy, or a file with its head, as a unified diff of the meaning.')
    .argument('<policy>', 'name')
    .argument('[from]', 'version or file; alone: a version is compared with the head, the head with a file')
    .argument('[to]', 'version or file')
    .addHelpText('after', '\nWithout from and to: the version before the head, and the head.')
    .action((name: string, from: string | undefined, to: string | undefined, _flags: unknown, command: Command) =>
      diff(name, from, to, contextOf(command)),
    );
}

async function diff(
  name: string,
  from: string | undefined,
  to: string | undefined,
  context: CommandContext,
): Promise<void> {
  const [left, right] = await sidesOf(name, from, to, context);
  const patch = createTwoFilesPatch(left.label, right.label, left.yaml, right.yaml, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
  const changed = left.yaml !== right.yaml;
  if (context.format !== 'table') {
    printDocument(context.format, { from: left.label, to: right.label, changed, diff: changed ? patch : '' });
  } else {
    write(
      changed ? colourDiff(block(patch.trimEnd())) : `${inline(left.label)} and ${inline(right.label)} say the same.`,
    );
  }
}

async function sidesOf(
  name: string,
  from: string | undefined,
  to: string | undefined,
  context: CommandContext,
): Promise<[Side, Side]> {
  if (from !== undefined && to !== undefined) return [await side(name, from, context), await side(name, to, context)];
  const head = await readHead(name, context);
  if (from !== undefined) {
    const given = await side(name, from, context);
    return VERSION.test(from) ? [given, head.side] : [head.side, given];
  }
  if (head.version === 1) throw new CliError(`${inline(name)} has one version only`, EXIT.notFound);
  return [await side(name, String(head.version - 1), context), head.side];
}

function side(name: string, given: string, context: CommandContext): Promise<Side> {
  const version = VERSION.exec(given)?.[1];
  return version === undefined ? Promise.resolve(fileSide(given)) : versionSide(name, Number(version), context);
}

function fileSide(file: string): Side {
  const { document, errors } = validatePolicyYaml(readNamedText(file));
  if (document === null) throw new CliError(`${inline(file)}: ${errors.join('; ')}`, EXIT.usage);
  return { label: file, yaml: policyToYaml(canonicalPolicy(document)) };
}

async function versionSide(name: string, version: number, { client }: CommandContext): Promise<Side> {
  const path = { name, version };
  const policy = await client.call((api) => api.GET('/v1/policies/{name}/versions/{version}', { params: { path } }));
  return storedSide(name, policy);
}

async function readHead(name: string, { client }: CommandContext): Promise<{ version: number; side: Side }> {
  const policy = await client.call((api) => api.GET('/v1/policies/{name}', { params: { path: { name } } }));
  return { version: policy.version, side: storedSide(name, policy) };
}

function storedSide(name: string, { version, content }: { version: number; content: object }): Side {
  return { label: `${name} v${version}`, yaml: policyToYaml(canonicalContent(content as JsonObject)) };
}
