/** An image of sandboxes with little in it. */
export const TEST_IMAGE = 'localhost/sandgate-sandbox:test';
