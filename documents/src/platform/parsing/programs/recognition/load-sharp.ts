import type sharp from 'sharp';

/** The decoder of pictures, loaded where it is needed alone: that takes longer than to read some documents. */
export async function loadSharp(): Promise<typeof sharp> {
  return (await import('sharp')).default;
}
