import { assertNoSurplus } from '@sallyport/core/options';
import { type Posture, type PostureDefinition, sealPosture } from './posture.js';

export const INTERNAL_ONLY: PostureDefinition = {
  factory: 'InternalOnly',
  asksResolver: true,
  admits: (principal) => principal?.kind === 'internal',
  schemes: 'internalOnly',
  security: (schemes) => schemes.map((scheme) => ({ [scheme]: [] })),
};

const POSTURE = sealPosture('internal_only');

/**
 * Allows only callers of your organisation: the principal's `kind` must be `internal`.
 *
 * @throws FrameworkError `app.invalid_configuration` for any argument: `framework: too many arguments, expected InternalOnly()`
 * @example app.post('/caches/clear', clearCaches, InternalOnly());
 */
export function InternalOnly(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'InternalOnly()');
  return POSTURE;
}
