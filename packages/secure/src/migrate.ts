import { FrameworkError } from '@sallyport/core';

/** What stands where a posture is wanted until somebody has chosen one; assignable to none. */
export interface PostureNotChosen {
  readonly postureNotChosen: true;
}

/**
 * The placeholder that the migration helper writes: the type check names each place, and at run time it throws. It never
 * chooses.
 *
 * @throws FrameworkError `framework: posture not chosen: <place>`, always
 * @example app.get('/users/{id}', getUser, choosePosture('GET /users/{id}'));
 */
export function choosePosture(place: string): PostureNotChosen {
  throw new FrameworkError('app.bad_request', `framework: posture not chosen: ${place}`);
}
