import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeAll } from './fetch-package.js';
import type { Fault, Project } from './project.js';

/** Makes a repository of a project, with its fault in it. */
export async function writeProject(project: Project, folder: string): Promise<void> {
  await cp(await provide(project), folder, { recursive: true });
  await writeAll(folder, project.files);
  await plant(folder, project.fault);
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '-m', 'start');
}

/** Fetched once for a machine, into Sandgate's cache. @returns a folder that nobody writes into */
async function provide(project: Project): Promise<string> {
  const all = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sandgate', 'projects');
  const folder = join(all, `${project.language}-${project.name.replaceAll('/', '-')}-${project.version}`);
  if (existsSync(folder)) return folder;
  await mkdir(all, { recursive: true });
  const making = await mkdtemp(`${folder}.making-`);
  try {
    await project.fetch(making, project);
    await rename(making, folder);
  } catch (error) {
    // Another suite may have been first.
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}

async function plant(folder: string, { file, right, wrong }: Fault): Promise<void> {
  const path = join(folder, file);
  const parts = (await readFile(path, 'utf8')).split(right);
  if (parts.length !== 2) throw new Error(`${file} holds ${right} ${parts.length - 1} times, not once`);
  await writeFile(path, parts.join(wrong));
}

function git(cwd: string, ...argv: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...argv], { cwd, stdio: 'ignore' });
}
