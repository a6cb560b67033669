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
 * Everybody may call. The principal resolver is not asked, so `ctx.securePrincipal()` has nothing to return.
 *
 * @throws FrameworkError `app.invalid_configuration` for any argument: `framework: too many arguments, expected Public()`
 * @example app.get('/health', () => json(200, { ok: true }), Public());
 */
export function Public(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'Public()');
  return POSTURE;
}
