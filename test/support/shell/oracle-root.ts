import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Programs that are what they are; every other name is a program that does nothing. Those that change the files they name are not here: a policy judges them by their name. */
const PROGRAMS =
  'bash dash sed mawk make find xargs env nice timeout nohup sort uniq cat grep head tail tr cut wc true false'.split(
    ' ',
  );
const LINKS: Readonly<Record<string, string>> = { sh: 'dash', awk: 'mawk', egrep: 'grep' };
const SOURCES = ['exec-recorder.c', 'oracle-driver.c', 'oracle-files.c'];
const FLAGS = ['-O2', '-Wall', '-Wextra'];

/** Lines of which `xargs` and the like make words: options that run programs, in every quoting. */
// prettier-ignore
const INPUT = ['in1', '--expression=1e hidden_input', '"--expression=1e hidden_input"', "'-e 1e hidden_input'", '-exec hidden_input ;',
  ''].join('\n');

/** The folder of sources: beside the compiled file, or in the tree when this file is compiled elsewhere. */
const HERE = dirname(fileURLToPath(import.meta.url)).replace('/dist/test/', '/test/');

/**
 * Makes the folder that becomes the root of a confinement: the oracles with their libraries, and the recorder, compiled, which the
 * loader brings into each of them.
 * @returns Options of bubblewrap that mount it.
 * @throws Error naming the program that is missing or that failed.
 */
export function buildOracleRoot(root: string): string[] {
  for (const folder of ['usr/bin', 'usr/share', 'usr/lib']) mkdirSync(join(root, folder), { recursive: true });
  const libraries = new Set(PROGRAMS.flatMap((program) => copyProgram(root, program)));
  const folders = new Set([...libraries].map((library) => copyLibrary(root, library)));
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(root, 'usr/bin', name));
  writeFileSync(join(root, 'usr/share/oracle-input'), INPUT);
  writeFileSync(join(root, 'stub.c'), 'int main(void) { return 0; }\n');
  compile([join(root, 'stub.c')], join(root, 'usr/bin/.stub'), []);
  compile(
    SOURCES.map((file) => join(HERE, file)),
    join(root, 'usr/lib/recorder.so'),
    ['-shared', '-fPIC'],
  );
  writeFileSync(join(root, 'ld.so.preload'), '/usr/lib/recorder.so\n');
  const mounts = ['--ro-bind', join(root, 'usr'), '/usr', '--symlink', 'usr/bin', '/bin'];
  folders.delete('/usr');
  for (const folder of folders) mounts.push('--ro-bind', join(root, 'libraries', folder), folder);
  return [...mounts, '--ro-bind', join(root, 'ld.so.preload'), '/etc/ld.so.preload'];
}

/** @returns The libraries that it needs, the loader included. */
function copyProgram(root: string, program: string): string[] {
  const found = ['/usr/bin', '/bin'].map((folder) => join(folder, program)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${program} is not installed`);
  copyFileSync(realpathSync(found), join(root, 'usr/bin', program));
  return run('ldd', [found]).match(/(?<=\s)\/\S+/g) ?? [];
}

/** Under the same name as on this machine, whose `/lib` may be a link into `/usr`. @returns The top folder of that name. */
function copyLibrary(root: string, library: string): string {
  const top = `/${library.split('/')[1]!}`;
  const target = top === '/usr' ? join(root, library) : join(root, 'libraries', library);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(realpathSync(library), target);
  return top;
}

function compile(sources: readonly string[], target: string, flags: readonly string[]): void {
  run('cc', [...FLAGS, ...flags, '-o', target, ...sources]);
}

function run(program: string, argv: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, argv, { encoding: 'utf8', timeout: 60_000 });
  if (status === 0) return stdout;
  throw new Error(`${program} ${argv.join(' ')}: ${error?.message ?? stderr.trim()}`);
}
