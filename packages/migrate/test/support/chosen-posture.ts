import { type Posture, Public } from '@sallyport/secure';

/** What the user writes in place of the placeholder; the old services of the tests know no callers. */
export function choosePosture(_place: string): Posture {
  return Public();
}
