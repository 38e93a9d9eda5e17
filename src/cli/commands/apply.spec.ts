import { describe, expect, it } from '@jest/globals';
import { preimages } from './apply.js';

const PATCH = `diff --git a/src/a file.js b/src/a file.js
index 1111111111..2222222222 100644
--- a/src/a file.js
+++ b/src/a file.js
@@ -1 +1 @@
-a
+b
diff --git a/new.txt b/new.txt
new file mode 100644
index 0000000000..3333333333
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+x
diff --git a/logo.png b/logo.png
index 4444444444..5555555555 100644
GIT binary patch
literal 0
`;

describe('preimages of a patch', () => {
  it('names every file that the patch starts from, with its blob, binary files included and new files left out', () => {
    expect(preimages(PATCH)).toEqual([
      { path: 'src/a file.js', blob: '1111111111' },
      { path: 'logo.png', blob: '4444444444' },
    ]);
  });
});
