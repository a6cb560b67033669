import { config } from 'zod';

/**
 * Disables code generation in zod: the policy of the page forbids it, and the browser reports even an attempt. Call it
 * before loading modules that use zod.
 */
export function forbidEval(): void {
  config({ jitless: true });
}
