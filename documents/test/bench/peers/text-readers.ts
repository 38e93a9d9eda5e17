import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FileRead } from '../reading/jailed-reading.js';
import { readBare } from '../reading/readers.js';
import {
  installPeer,
  installPythonPeer,
  pythonVersionOf,
  sourceOf,
  versionOf,
  type PythonPeer,
} from './installed-peers.js';

/** A reader of PDFs that is ready to be compared with. */
export interface ReadyReader {
  /** With its version. */
  name: string;
  read(file: string): Promise<FileRead>;
}

interface TextReader {
  /** Pages of ours for each of theirs, at least. */
  times: number;
  /** What a reader of the figures must know. */
  note: string;
  /** Installs it where it must be. */
  ready(): Promise<ReadyReader>;
}

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 1024 ** 3;
/** As much of what a failing program said is told. */
const MAX_SAID = 1000;

/** Each in a process of its own, with an environment that has nothing but where programs are. */
async function runProgram(name: string, program: string, argv: string[]): Promise<string> {
  const { PATH, HOME } = process.env;
  try {
    return (await run(program, argv, { maxBuffer: MAX_OUTPUT_BYTES, env: { PATH, HOME } })).stdout;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`${name} could not read: ${said.slice(-MAX_SAID) || String(error)}`, { cause: error });
  }
}

/** Readers of text and boxes, by the ends of their rows' names. */
export const TEXT_READERS: { readonly [name: string]: TextReader } = {
  liteparse: {
    times: 0.7,
    note: 'the reader within ours, without the jail, without tables; its time begins when its library is loaded',
    ready: () => Promise.resolve({ name: 'liteparse', read: readBare }),
  },
  poppler: {
    times: 0.4,
    note: 'its time is that of the whole program; it gives words and boxes alone: no lines, no fields, no tables',
    ready: () => Promise.resolve({ name: popplerVersion(), read: readWithPoppler }),
  },
  pdfjs: {
    times: 1,
    note: 'runs of text with their positions, cut at blanks; its time begins when its library is loaded',
    ready: () => readyNode('pdfjs'),
  },
  pdfplumber: {
    times: 10,
    note: 'words with their boxes; its time begins when its library is loaded',
    ready: () => readyPython('pdfplumber'),
  },
  kreuzberg: {
    times: 0.4,
    note: 'text by page without boxes of words; its time begins when its library is loaded',
    ready: () => readyNode('kreuzberg'),
  },
  'kreuzberg-python': {
    times: 0.4,
    note: 'the same core as the row before, for systems on which its package for Node does not load',
    ready: () => readyPython('kreuzberg'),
  },
};

/** The peers whose programs for Node lie in `programs`. */
function readyNode(peer: 'pdfjs' | 'kreuzberg'): Promise<ReadyReader> {
  const folder = installPeer(peer);
  const path = fileURLToPath(new URL(`programs/${peer}.js`, import.meta.url));
  const name = versionOf(peer);
  const read = async (file: string): Promise<FileRead> =>
    JSON.parse(await runProgram(name, process.execPath, [path, folder, file])) as FileRead;
  return Promise.resolve({ name, read });
}

async function readyPython(peer: PythonPeer): Promise<ReadyReader> {
  const python = await installPythonPeer(peer);
  const program = sourceOf(`programs/read_with_${peer}.py`);
  const name = `${pythonVersionOf(peer)} of PyPI`;
  return { name, read: async (file) => JSON.parse(await runProgram(name, python, [program, file])) as FileRead };
}

async function readWithPoppler(file: string): Promise<FileRead> {
  const started = performance.now();
  const said = await runProgram('pdftotext', 'pdftotext', ['-bbox', file, '-']);
  const milliseconds = performance.now() - started;
  return { pages: said.split('<page ').length - 1, words: said.split('<word ').length - 1, milliseconds };
}

const popplerVersion = (): string =>
  /^pdftotext version \S+/m.exec(spawnSync('pdftotext', ['-v'], { encoding: 'utf8' }).stderr)?.[0] ?? 'pdftotext';
