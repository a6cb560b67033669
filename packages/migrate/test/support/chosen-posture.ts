import { type Posture, Public } from '@sallyport/secure';

/** The choice of the user, in place of the placeholder: the old services of the tests have no callers. */
export function choosePosture(_place: string): Posture {
  return Public();
}
