import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { contentOf, Stage } from './support.js';

jest.setTimeout(60_000);

let stage: Stage;
afterEach(() => stage.remove());

function write(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

async function expectRoundTrip(): Promise<string> {
  const diff = await stage.collect();
  expect(diff.truncated).toBe(false);
  expect(contentOf(stage.apply(diff.patch))).toEqual(contentOf(stage.workspaceDir));
  return diff.patch.toString('latin1');
}

/** The nightly campaign plays a thousand. */
const ROUND_TRIPS = Number(process.env['ROUND_TRIPS'] ?? 15);

describe('CP-132 the diff shows everything changed against the base commit', () => {
  it('a run that changed nothing says so, also after the agent looked around', async () => {
    stage = new Stage();
    write(stage.source, { 'a.txt': 'a\n', 'b/c.txt': 'c\r\n', '.gitattributes': '* text=auto eol=crlf\n' });
    await stage.prepare({ kind: 'local_copy', path: stage.source });
    expect(stage.act('git status --porcelain; git log --format=%s; git diff; ls -R > /dev/null')).toBe(
      'Base of the run\n',
    );
    const diff = await stage.collect();
    expect(diff).toEqual({ patch: Buffer.from('(no changes)'), truncated: false, empty: true, leftOut: [] });
  });

  it('a scratch workspace is an empty repository, and what is made in it is new', async () => {
    stage = new Stage();
    const { baseCommit, files, leftOut } = await stage.prepare({ kind: 'scratch' });
    expect({ files, leftOut }).toEqual({ files: 0, leftOut: 0 });
    expect(stage.act('git rev-parse HEAD').trim()).toBe(baseCommit);
    stage.act(
      'printf "one\\ntwo" > text; mkdir -p a/b; printf "\\0\\1" > a/b/binary; printf "#!/bin/sh\\n" > run; chmod +x run; ln -s text link; : > empty',
    );
    await expectRoundTrip();
  });

  it('text, binary, modes, renames, deletions, line ends, links and swaps of kind come back byte for byte', async () => {
    stage = new Stage();
    const long = Array.from({ length: 200 }, (_, line) => `line ${line}\n`).join('');
    write(stage.source, {
      'edit.txt': 'one\ntwo\nthree\n',
      'crlf.txt': 'a\r\nb\r\n',
      'mixed.txt': 'a\r\nb\nc\r',
      'latin1.txt': Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
      'moved/from.txt': long,
      'binary.dat': Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7) % 256)),
      'gone.txt': 'bye\n',
      'was-file': 'x\n',
      'was-folder/inner.txt': 'y\n',
      'script.sh': '#!/bin/sh\n',
      'no-newline': 'tail',
      '.gitattributes': '*.txt text eol=crlf\n*.dat -text filter=evil diff=evil\n*.sh ident\n',
    });
    await stage.prepare({ kind: 'local_copy', path: stage.source });
    stage.act(
      [
        'printf "one\\n2\\nthree\\n" > edit.txt',
        'printf "a\\r\\nB\\r\\n" > crlf.txt',
        'printf "a\\nb\\r\\nc" > mixed.txt',
        'printf "caf\\xe8\\n" > latin1.txt',
        'mkdir to; mv moved/from.txt to/there.txt; sed -i s/"line 7$"/seven/ to/there.txt',
        'printf "\\0\\377end" >> binary.dat',
        'rm gone.txt was-file; mkdir was-file; echo in > was-file/in',
        'rm -r was-folder; echo flat > was-folder',
        'chmod +x script.sh; printf more >> no-newline; ln -s edit.txt link',
      ].join('\n'),
    );
    const patch = await expectRoundTrip();
    expect(patch).toContain('rename from moved/from.txt\nrename to to/there.txt');
    expect(patch).toContain('old mode 100644\nnew mode 100755');
    expect(patch).toContain('GIT binary patch');
    expect(patch).not.toContain('\u001b[');
  });

  it('names with white space, quotes, control bytes, no UTF-8, wildcards and another case', async () => {
    stage = new Stage();
    await stage.prepare({ kind: 'scratch' });
    stage.act(
      String.raw`for name in $'new\nline' $'tab\there' 'quote"d' "apo's" 'back\slash' $'bell\a' $'esc\e[31m' $'\xff\xfe' ' lead' 'trail ' '-dash' '*' '[x]' ':(top)' 'é' 'README' 'readme' '# note'; do
        mkdir -p -- "d$name"; echo "$name" > "./$name"; echo in > "./d$name/f"; done`,
    );
    const patch = await expectRoundTrip();
    expect(patch).toContain(String.raw`"b/new\nline"`);
  });
});

describe('apply(patch) on the base equals the final tree', () => {
  const name = fc.constantFrom(
    'a',
    'b',
    'Case',
    'case',
    'with space',
    'nl\nname',
    'q"uote',
    'ütf',
    'target',
    'x.pyc',
    '.gitignore',
    '.gitattributes',
  );
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const content = fc.oneof(
    fc.constantFrom(
      '',
      '\n',
      'x',
      '*\n',
      '* text eol=crlf\n* filter=x diff=x -diff\n',
      'a\r\nb\r\n',
      'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n',
    ),
    fc
      .array(fc.constantFrom('one\n', 'two\n', 'three\r\n', '# four\n', '\0', '\\ No newline\n'), { maxLength: 40 })
      .map((lines) => lines.join('')),
    fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  );
  const step = fc.record({
    kind: fc.constantFrom('write', 'write', 'remove', 'program', 'move', 'link'),
    path,
    other: path,
    content,
  });

  it(
    'for generated trees and changes',
    async () => {
      const property = fc.asyncProperty(
        fc.array(fc.tuple(path, content), { maxLength: 12 }),
        fc.array(step, { minLength: 1, maxLength: 25 }),
        async (before, steps) => {
          stage = new Stage();
          try {
            play(
              stage.source,
              before.map(([at, text]) => ({ kind: 'write', path: at, other: '', content: text })),
            );
            await stage.prepare({ kind: 'local_copy', path: stage.source, include: ['*'] });
            play(stage.workspaceDir, steps);
            const diff = await stage.collect();
            const applied = contentOf(stage.apply(diff.patch));
            const final = contentOf(stage.workspaceDir);
            for (const { path: left, folder } of diff.leftOut) forget(final, applied, left, folder);
            expect(applied).toEqual(final);
          } finally {
            await stage.remove();
          }
        },
      );
      await fc.assert(property, {
        numRuns: ROUND_TRIPS,
        seed: 20_260_101,
        endOnFailure: true,
      });
    },
    120_000 + ROUND_TRIPS * 1500,
  );

  /** What the patch names as left out is compared on neither side, unless the base tracks it. */
  function forget(final: Record<string, string>, applied: Record<string, string>, left: string, folder: boolean): void {
    for (const key of Object.keys(final)) {
      if ((folder ? key.startsWith(`${left}/`) : key === left) && !(key in applied)) delete final[key];
    }
  }

  /** Plays the steps with a program of its own, so that names need no quoting; a step that makes no sense is skipped. */
  function play(folder: string, steps: { kind: string; path: string; other: string; content: string }[]): void {
    const program = `const fs=require('fs'),p=require('path');
      for(const s of JSON.parse(fs.readFileSync(0,'utf8')))try{
        if(s.kind!=='remove'&&s.kind!=='program')fs.mkdirSync(p.dirname(s.kind==='move'?s.other:s.path),{recursive:true});
        if(s.kind==='write'){if(!fs.existsSync(s.path)||!fs.lstatSync(s.path).isSymbolicLink())fs.writeFileSync(s.path,Buffer.from(s.content,'latin1'))}
        if(s.kind==='remove')fs.rmSync(s.path,{recursive:true});
        if(s.kind==='program'&&fs.lstatSync(s.path).isFile())fs.chmodSync(s.path,0o755);
        if(s.kind==='move')fs.renameSync(s.path,s.other);
        if(s.kind==='link')fs.symlinkSync(s.other,s.path);
      }catch(e){if(!e.code)throw e}`;
    execFileSync(process.execPath, ['-e', program], { cwd: folder, input: JSON.stringify(steps) });
  }
});
