import { spawn, spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The checkout. Every command runs here, whatever the caller's folder. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The folder where the person stands; relative paths that they type mean this one. */
export const callerFolder = process.env.SANDGATE_CALLER_DIR || process.env.INIT_CWD || process.cwd();

/** Shared by all checkouts of this user. */
export function cacheDir() {
  const base = process.env.XDG_CACHE_HOME;
  return path.join(base && path.isAbsolute(base) ? base : path.join(os.homedir(), '.cache'), 'sandgate');
}

/**
 * Where programs of Node find what V8 compiled of their modules before: each then takes a tenth to a third less time to start. It
 * lies in a folder of this user, because what stands in it is run.
 */
export function compileCache() {
  return process.env.NODE_COMPILE_CACHE || path.join(cacheDir(), 'compiled');
}

export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs a program to its end with output captured; never throws. */
export function capture(program, argv, options = {}) {
  const result = spawnSync(program, argv, {
    cwd: root,
    encoding: 'utf8',
    timeout: 600_000,
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  return { ok: result.status === 0, stdout: result.stdout || '', stderr: result.stderr || '', error: result.error };
}

/** The line of a failed command's output that says why. */
export function reasonOf({ error, stderr, stdout }) {
  if (error && error.code === 'ETIMEDOUT') return 'it took longer than ten minutes';
  if (error) return error.message;
  const lines = `${stdout}\n${stderr}`
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !UNTELLING.test(line));
  const telling = lines.find((line) =>
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EACCES|E40[0-9]|network)\b/.test(line),
  );
  return telling || lines[lines.length - 1] || 'no reason given';
}

/** What npm prints around the sentence that says what happened. */
const UNTELLING =
  /^(code|errno|syscall|path|at) |^A complete log of this run|^(code|errno|syscall|address|port|type): |^}$/;

export function onPath(program) {
  return capture('/bin/sh', ['-c', `command -v ${program}`]).ok;
}

/** Runs a program in the foreground, passes it the signals that this process gets, and answers its exit code. */
export function runForeground(program, argv) {
  const env = {
    ...process.env,
    SANDGATE_CALLER_DIR: callerFolder,
    NODE_COMPILE_CACHE: compileCache(),
    PATH: `${path.dirname(program)}${path.delimiter}${process.env.PATH || ''}`,
  };
  const child = spawn(program, argv, { cwd: root, stdio: 'inherit', env });
  // A terminal sends Ctrl+C to the whole group: the child has it already, and this process waits for the child.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code === null ? 128 + (os.constants.signals[signal] || 0) : code));
  });
}
