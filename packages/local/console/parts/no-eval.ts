import { config } from 'zod';

/**
 * zod without code that it makes from text: the page's policy forbids that, and the browser reports the mere try. To be
 * imported before anything that describes values with zod.
 */
export const JITLESS = config({ jitless: true }).jitless;
