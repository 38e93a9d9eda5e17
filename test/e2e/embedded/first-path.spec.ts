import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { byConversation, reply } from '../../../src/cli/demo/wire/model-script.js';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { CodeHost } from '../../support/codehost/code-host.js';
import { startConnectProxy, type ConnectProxy } from '../../support/http/connect-proxy.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { compiledBefore } from '../../support/installation/own-place.js';
import { runHere, SecondMachine, type Outcome } from '../../support/installation/second-machine.js';
import { DEPENDENCY, INSTALL, writeNpmProject } from '../../support/packages/npm-project.js';
import { PackageRegistry } from '../../support/packages/package-registry.js';
import { StartedSandgate, temporaryStateFolder } from '../../support/installation/started-sandgate.js';

jest.setTimeout(300_000);

const PAGE = readFileSync(resolve('docs/first-path.md'), 'utf8');
const PLACE = 'https://git.example/acme/shop.git';
const EDIT = {
  file_path: '/workspace/total.js',
  old_string: 'prices.length',
  new_string: 'prices.reduce((a, b) => a + b, 0)',
};
const KEY = 'the-key-of-the-scripted-model';

/** The fenced blocks of one language in a section of the page. */
function blocksOf(section: string, language: string): string[] {
  const text = PAGE.split(/^## /m).find((part) => part.startsWith(section)) ?? '';
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);
}

/** Only root may connect machines; without it the same commands run on this one. */
const machine = process.getuid?.() === 0 ? SecondMachine.connect() : null;
const address = machine?.address ?? '127.0.0.1';
const folder = temporaryStateFolder();
const dataDir = join(folder, 'state');
const home = join(folder, 'home-of-the-other');
const clone = join(home, 'shop');

/** What a new user finds: a code host, a registry, a model provider, and a server that knows them. */
let codeHost: CodeHost;
let registry: PackageRegistry;
let proxy: ConnectProxy;
let model: ScriptedModel;
let sandgate: StartedSandgate;

function git(cwd: string, ...argv: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...argv], { cwd, stdio: 'ignore' });
}

/** A block of the page on the other machine, with this code host in the place of the one that the page names. */
function there(script: string, cwd: string): Promise<Outcome> {
  const env = {
    PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    SANDGATE_URL: sandgate.url,
    SANDGATE_TOKEN: sandgate.token,
    GIT_SSL_CAINFO: join(folder, 'git-host.crt'),
    ...compiledBefore(),
  };
  const command = ['sh', '-euc', script.replaceAll(PLACE, `${codeHost.url(address)}/acme/shop.git`)];
  return machine === null ? runHere(command, { cwd, env }) : machine.run(command, { cwd, env });
}

/** Answers the questions of a run as they come, by the commands of the page, until it is over. @returns what was asked */
async function answering(run: Promise<Outcome>): Promise<{ outcome: Outcome; asked: string[] }> {
  const asked: string[] = [];
  const [, approve = ''] = (blocksOf('4.', 'sh')[1] ?? '').trim().split('\n');
  const ended = run.then((outcome) => ({ outcome }));
  for (;;) {
    const end = await Promise.race([ended, delay(300)]);
    if (end !== undefined) return { outcome: end.outcome, asked };
    const { stdout } = await there('sandgate approvals -o json', home);
    for (const { id, tool_call_id } of JSON.parse(stdout) as { id: string; tool_call_id: string }[]) {
      asked.push(tool_call_id);
      expect(await there(approve.replace('<approval>', id), home)).toMatchObject({ code: 0 });
    }
  }
}

beforeAll(async () => {
  mkdirSync(join(home, 'bin'), { recursive: true });
  const sandgateProgram = join(home, 'bin', 'sandgate');
  writeFileSync(sandgateProgram, `#!/bin/sh\nexec '${process.execPath}' '${resolve('bin/sandgate.mjs')}' "$@"\n`);
  chmodSync(sandgateProgram, 0o755);
  registry = await PackageRegistry.startSecurely('packages.outside.example');
  proxy = await startConnectProxy();
  codeHost = await CodeHost.start({ names: [address], address });
  writeFileSync(join(folder, 'git-host.crt'), codeHost.certificate);
  const source = join(folder, 'source');
  writeNpmProject(source, registry);
  git(source, 'init', '--quiet');
  git(source, 'add', '--all');
  git(source, 'commit', '--quiet', '-m', 'start');
  codeHost.publish(source, 'acme/shop', { open: true });
  model = await startScriptedModel({
    apiKey: KEY,
    script: byConversation([
      reply({ tool: 'Bash', input: { command: 'npm test' } }),
      reply({ tool: 'Read', input: { file_path: EDIT.file_path } }),
      reply({ tool: 'Edit', input: EDIT }),
      reply({ tool: 'Bash', input: { command: 'npm test' } }),
      reply({ text: 'The sum is right now.' }),
    ]),
  });
  mkdirSync(dataDir, { mode: 0o700 });
  const npm = { targets: [registry.target], variables: { npm_config_registry: registry.url } };
  writeFileSync(join(dataDir, 'network-presets.yaml'), JSON.stringify({ presets: { npm } }));
  const [port] = await freePorts(1);
  sandgate = await StartedSandgate.start(dataDir, {
    SERVICE_BIND: `${address}:${port}`,
    SERVICE_LOCAL_COPY_ROOTS: 'none',
    SERVICE_CODEHOST_CLONE_BASE: codeHost.url(address),
    SERVICE_CODEHOST_CA_FILE: join(folder, 'git-host.crt'),
    SERVICE_EGRESS_PROXY: proxy.url,
    SERVICE_EGRESS_ALLOW_CIDRS: `${address}/32`,
    SERVICE_LLM_ANTHROPIC_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
  });
}, 240_000);

afterAll(async () => {
  await sandgate?.stop();
  machine?.disconnect();
  await Promise.all([model?.close(), proxy?.close(), codeHost?.stop(), registry?.[Symbol.asyncDispose]()]);
  execFileSync(process.execPath, [resolve('dist/cli/main.js'), '--data-dir', dataDir, 'clean', '--yes']);
  rmSync(folder, { recursive: true, force: true });
});

describe('the first path, as the page says it', () => {
  it('leads from a clone on another machine to a change in it, by packages that were granted by name', async () => {
    const [agent = ''] = blocksOf('3.', 'yaml');
    expect(agent).toContain('[npm ci]');
    writeFileSync(join(home, 'shop.yaml'), agent.replace('[npm ci]', `['${INSTALL}']`));
    const [create = ''] = blocksOf('3.', 'sh');
    expect(await there(create, home)).toMatchObject({ code: 0, stderr: '' });

    const [run = ''] = blocksOf('4.', 'sh');
    const first = await answering(there(run, home));
    expect(first).toMatchObject({ outcome: { code: 0 }, asked: ['network-grant', 'setup_001'] });
    expect(first.outcome.stdout).toContain('completed');
    expect(registry.served).toEqual([DEPENDENCY]);

    const total = (): string => readFileSync(join(clone, 'total.js'), 'utf8');
    expect(total()).toContain('prices.length');
    const [change = ''] = blocksOf('5.', 'sh');
    const applied = await there(change, clone);
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('total.js') as unknown });
    expect(total()).toContain('prices.reduce');
    expect(existsSync(join(clone, 'node_modules'))).toBe(false);
    const tests = execFileSync('node', ['-p', 'require("./total.js")([2, 3])'], { cwd: clone, encoding: 'utf8' });
    expect(tests.trim()).toBe('5');
  });

  it('the next run starts with what the first one prepared, and fetches nothing', async () => {
    const [again = ''] = blocksOf('6.', 'sh');
    const { outcome, asked } = await answering(there(again, clone));
    expect(outcome).toMatchObject({ code: 0 });
    if (process.getuid?.() !== 0) return;
    expect(asked).toEqual(['network-grant']);
    expect(registry.served).toEqual([DEPENDENCY]);
    expect((await there('sandgate log last -o json', clone)).stdout).toContain('setup.reused');
  });
});
