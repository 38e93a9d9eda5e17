/** An image of sandboxes with little in it. */
export const TEST_IMAGE = 'localhost/sandgate-sandbox:test';

/** One that has the programs which the tests of runs and of networks use inside. */
export const TOOLS_IMAGE = 'localhost/sandgate-sandbox:tools';

/** One that has compilers and package managers, for projects of four languages. */
export const TOOLCHAINS_IMAGE = 'localhost/sandgate-sandbox:toolchains';
