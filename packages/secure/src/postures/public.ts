import { assertNoSurplus } from '@sallyport/core/options';
import { type Posture, type PostureDefinition, sealPosture } from './posture.js';

export const PUBLIC: PostureDefinition = {
  factory: 'Public',
  asksResolver: false,
  admits: () => true,
  schemes: null,
  security: () => [],
};

const POSTURE = sealPosture('public');

/**
 * Allows any caller. The principal resolver is not called, so `ctx.securePrincipal()` returns `null`.
 *
 * @throws FrameworkError `app.invalid_configuration` for any argument: `framework: too many arguments, expected Public()`
 * @example app.get('/health', () => json(200, { ok: true }), Public());
 */
export function Public(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'Public()');
  return POSTURE;
}
