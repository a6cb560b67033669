import { config } from 'zod';

/**
 * Makes zod do without code that it makes from text: the policy of the page forbids that, and the browser reports the mere try. To be
 * called before anything is loaded that describes values with zod.
 */
export function forbidEval(): void {
  config({ jitless: true });
}
