import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const CLIENT_MS = 300_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

interface Key {
  name: string;
  version: string;
}

/** Of npm; the lock file, which no package carries, is made for it. */
export async function fetchTarball(folder: string, { name, version }: Key): Promise<void> {
  await elsewhere(async (aside) => {
    await client(aside, 'npm', 'pack', '--ignore-scripts', `${name}@${version}`);
    await unpack(aside, folder);
  });
  await client(folder, 'npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
}

/** Of PyPI. */
export async function fetchSource(folder: string, { name, version }: Key): Promise<void> {
  await elsewhere(async (aside) => {
    const options = ['--no-deps', '--no-binary', name, '--dest', '.'];
    await client(aside, 'python3', '-m', 'pip', 'download', ...options, `${name}==${version}`);
    await unpack(aside, folder);
  });
}

/** Of a registry of crates; the lock file, which this one does not carry, is made for it. */
export async function fetchCrate(folder: string, { name, version }: Key): Promise<void> {
  await elsewhere(async (aside) => {
    const manifest = `[package]\nname = "wants"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n${name} = "=${version}"\n`;
    await writeAll(aside, { 'Cargo.toml': manifest, 'src/lib.rs': '' });
    const described = JSON.parse(await client(aside, 'cargo', 'metadata', '--format-version', '1')) as {
      packages: { name: string; manifest_path: string }[];
    };
    const found = described.packages.find((one) => one.name === name);
    if (found === undefined) throw new Error(`cargo fetched no ${name}`);
    await cp(dirname(found.manifest_path), folder, { recursive: true });
  });
  await client(folder, 'cargo', 'generate-lockfile');
}

/** Of a module proxy. */
export async function fetchModule(folder: string, { name, version }: Key): Promise<void> {
  await elsewhere(async (aside) => {
    await writeAll(aside, { 'go.mod': 'module wants\n' });
    const described = await client(aside, 'go', 'mod', 'download', '-json', `${name}@${version}`);
    await cp((JSON.parse(described) as { Dir: string }).Dir, folder, { recursive: true });
  });
  // The store of modules is read-only.
  await client(folder, 'chmod', '-R', 'u+w', '.');
}

async function client(cwd: string, program: string, ...argv: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, argv, { cwd, timeout: CLIENT_MS, maxBuffer: MAX_OUTPUT });
  return stdout;
}

/** The one archive of a folder, without the folder that all its files are in. */
async function unpack(aside: string, folder: string): Promise<void> {
  const [archive, ...others] = (await readdir(aside)).filter((name) => /\.(tgz|tar\.gz)$/.test(name));
  if (archive === undefined || others.length > 0) throw new Error('the client fetched no archive, or several');
  await client(aside, 'tar', '-xzf', archive, '--strip-components=1', '--no-same-owner', '-C', folder);
}

async function elsewhere(work: (aside: string) => Promise<void>): Promise<void> {
  const aside = await mkdtemp(join(tmpdir(), 'sg-fetch-'));
  try {
    await work(aside);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

export async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
