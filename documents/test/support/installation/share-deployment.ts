import { afterAll, beforeAll } from '@jest/globals';
import { LiveApi } from './live-api.js';
import { LivePipeline } from './live-pipeline.js';

/** A deployment that lives, with its API. */
export interface LivePlace {
  live: LivePipeline;
  api: LiveApi;
}

/** How a part of a suite comes to the deployment: with an organization of its own, before its first test. */
export type Enter = () => Promise<LivePlace>;

/** One deployment for the parts of a suite, which leave it as they found it; to start another one would cost more than most of them. */
export function shareDeployment(env: NodeJS.ProcessEnv = {}): Enter {
  let place: LivePlace | undefined;
  beforeAll(async () => {
    const live = await LivePipeline.start(env);
    place = { live, api: await LiveApi.start(live) };
  });
  afterAll(async () => {
    await place?.api.kill();
    await place?.live.stop();
  });
  return async () => {
    if (place === undefined) throw new Error('the deployment has not been started');
    await place.live.changeOrganization();
    return place;
  };
}
