import { INSIDE } from '../../parser-protocol.js';
import type { PageRequest } from '../../page-requests.js';
import { serve } from '../serve.js';
import { openPicture } from './open-picture.js';
import { readFrames, recognizeFrame, renderFrame } from './read-frames.js';

await serve<PageRequest>(async (request, emit) => {
  const picture = await openPicture(INSIDE.document);
  switch (request.do) {
    case 'inspect':
      emit({ kind: 'image', contentType: picture.contentType, pageCount: picture.frames, warnings: [] });
      return;
    case 'read':
      await readFrames(picture, request.from, Math.min(request.to, picture.frames), emit);
      return;
    case 'recognize':
      emit(await recognizeFrame(picture, request.pageNumber, request.languages));
      return;
    case 'render':
      emit(await renderFrame(picture, request.pageNumber, request.dpi));
      return;
  }
});
