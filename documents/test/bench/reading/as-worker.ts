/** Reads a PDF through the jail as the worker does; prints what it came to. */
import { readJailed } from './jailed-reading.js';

const [file = '', pages = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await readJailed(file, Number(pages))));
