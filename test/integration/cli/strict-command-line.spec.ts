import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CommanderError, type Command, type Option } from 'commander';
import { CliError } from '../../../src/cli/terminal/exit-codes.js';
import { buildProgram } from '../../../src/cli/program.js';
import { resolveConnection } from '../../../src/cli/server/connection.js';
import { misspelt } from '../../support/api/described-requests.js';

/** Records whoever asks it; a refused command line asks nobody. */
let server: Server;
let requests: string[];
const earlier = { ...process.env };

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env['SANDGATE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['SANDGATE_TOKEN'] = 'a-token-of-no-meaning';
});

beforeEach(() => {
  requests = [];
});

afterAll(() => {
  process.env = earlier;
  server.close();
});

interface Refusal {
  /** As the process would exit. */
  code: number;
  stderr: string;
}

async function cli(argv: readonly string[]): Promise<Refusal> {
  let stderr = '';
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation(() => true),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true)),
  ];
  try {
    await buildProgram().parseAsync(['node', 'sandgate', ...argv]);
    return { code: 0, stderr };
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, stderr };
    if (error instanceof CliError) return { code: error.exitCode, stderr: `${stderr}${error.message}` };
    throw error;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

interface Leaf {
  words: string[];
  command: Command;
}

/** Every command that does something, with the words that name it. */
function leaves(command: Command, words: string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ words, command }];
  return command.commands.flatMap((inner) => leaves(inner, [...words, inner.name()]));
}

function groups(command: Command, words: string[] = []): Leaf[] {
  if (command.commands.length === 0) return [];
  return [{ words, command }, ...command.commands.flatMap((inner) => groups(inner, [...words, inner.name()]))];
}

/** What the command cannot do without, so that nothing but the stranger is wrong. */
function required({ command }: Leaf): string[] {
  const mandatory = command.options.filter((option) => option.mandatory && option.defaultValue === undefined);
  return [
    ...mandatory.flatMap((option) => [option.long ?? '', ...(option.required ? ['1'] : [])]),
    ...command.registeredArguments.filter((argument) => argument.required).map(() => 'x'),
  ];
}

const LEAVES = leaves(buildProgram());

describe('every command', () => {
  it.each(LEAVES.map((leaf) => [leaf.words.join(' '), leaf] as const))(
    'CP-329 %s refuses a misspelt option with 2, names it and the one that was meant, and asks nobody',
    async (_name, leaf) => {
      const long = leaf.command.options.map((option: Option) => option.long ?? '').filter((name) => name.length > 2);
      for (const option of long) {
        const wrong = `--${misspelt(option.slice(2))}`;
        const { code, stderr } = await cli([...leaf.words, wrong, ...required(leaf)]);
        expect([wrong, code]).toEqual([wrong, 2]);
        expect(stderr).toContain(`unknown option '${wrong}'`);
        expect(stderr).toContain(option);
      }
      const { code, stderr } = await cli([...leaf.words, '--x-unheard-of', ...required(leaf)]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--x-unheard-of'")]);
      expect(requests).toEqual([]);
    },
  );

  it.each(LEAVES.map((leaf) => [leaf.words.join(' '), leaf] as const))(
    'CP-329 %s refuses an option of another command and an argument too many with 2, and asks nobody',
    async (_name, leaf) => {
      const own = [...leaf.command.options, ...buildProgram().options].map((option) => option.long);
      const foreign = LEAVES.flatMap(({ command }) => command.options).find(
        (option) => option.long != null && option.long.length > 4 && !own.includes(option.long),
      );
      const wrong = foreign?.long ?? '';
      const { code, stderr } = await cli([...leaf.words, wrong, ...required(leaf)]);
      expect([wrong, code, stderr]).toEqual([wrong, 2, expect.stringContaining(`unknown option '${wrong}'`)]);
      const room = leaf.command.registeredArguments;
      if (!room.some((argument) => argument.variadic)) {
        const many = Array.from({ length: room.length + 1 }, () => 'x');
        const mandatory = required(leaf).slice(0, -room.filter((argument) => argument.required).length || undefined);
        const excess = await cli([...leaf.words, ...mandatory, ...many]);
        expect([excess.code, excess.stderr]).toEqual([2, expect.stringContaining('too many arguments')]);
      }
      expect(requests).toEqual([]);
    },
  );

  it.each(groups(buildProgram()).map((group) => [group.words.join(' ') || 'sandgate', group] as const))(
    'CP-329 %s refuses a misspelt command with 2 and names the one that was meant',
    async (_name, group) => {
      const takesWords = group.command.commands.some((inner) => inner.registeredArguments.length > 0);
      for (const inner of group.command.commands) {
        const { code, stderr } = await cli([...group.words, misspelt(inner.name())]);
        // A default command that takes a word takes this one: it is a name then, and not a command.
        if (takesWords && stderr.includes(`"${misspelt(inner.name())}" is not a run`)) continue;
        expect([inner.name(), code, stderr]).toEqual([
          inner.name(),
          2,
          expect.stringMatching(new RegExp(`Did you mean (?:\\w+ )?${inner.name()}\\?`)),
        ]);
      }
    },
  );
});

describe('the configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sg-strict-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['tokenfile: x', 'tokenfile is not known; did you mean token_file?'],
    ['x_unheard_of: x', 'x_unheard_of is not known'],
    ['server: {url: x}', 'server is not known'],
    ['- url', 'must be a mapping of url, token, token_file'],
  ])('CP-329 refuses %s', (text, reason) => {
    const path = join(folder, 'config.yaml');
    writeFileSync(path, text);
    expect(() => resolveConnection({}, { SANDGATE_CONFIG: path })).toThrow(reason);
  });
});
