import { assertNoSurplus } from '@sallyport/core/options';
import { type Posture, type PostureDefinition, sealPosture } from './posture.js';

export const OPTIONAL: PostureDefinition = {
  factory: 'Optional',
  asksResolver: true,
  admits: () => true,
  schemes: 'authenticated',
  security: (schemes) => [...schemes.map((scheme) => ({ [scheme]: [] })), {}],
};

const POSTURE = sealPosture('optional');

/**
 * Allows any caller, with or without credentials. Wrong credentials are still rejected.
 *
 * @throws FrameworkError `app.invalid_configuration` for any argument: `framework: too many arguments, expected Optional()`
 * @example app.get('/articles', (ctx) => json(200, listArticles(ctx.authIdentity)), Optional());
 */
export function Optional(...surplus: readonly never[]): Posture {
  assertNoSurplus(surplus, 'Optional()');
  return POSTURE;
}
