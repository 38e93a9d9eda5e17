import { absolutePath, oneOf } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

/** Where the bytes of documents lie. */
export class StoreConfig {
  @setting({
    variable: 'DOCSVC_STORE',
    read: oneOf('fs', 's3'),
    default: 'fs',
    about: '`fs`: files below `DOCSVC_FS_ROOT`. `s3` is not in this version and refuses the boot.',
  })
  readonly kind!: 'fs' | 's3';

  @setting({
    variable: 'DOCSVC_FS_ROOT',
    read: absolutePath,
    default: null,
    defaultText: 'the folder `blobs` of `DOCSVC_DATA_DIR`',
    about: 'Folder of the store `fs`; API and worker need the same one.',
  })
  readonly configuredRoot!: string | null;

  /** The folder in effect. */
  readonly root!: string;
}
