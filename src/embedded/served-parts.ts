/** What `sandgate serve` can be. Apart from what serves them, whose modules every command would load. */
export const SERVED_PARTS = ['api', 'worker'] as const;

export type ServedPart = (typeof SERVED_PARTS)[number];
