import type { JwtVerifier } from './jwt-error.js';
import { type JwtVerifierOptions, parseSettings } from './options.js';

/**
 * The verifier of `createJwtVerifier`, for packages in which it is optional: the options are checked immediately, and the library
 * `jose` is loaded when the first token is verified.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function lazyJwtVerifier(options: JwtVerifierOptions | readonly JwtVerifierOptions[]): JwtVerifier {
  const settings = parseSettings(options);
  let made: Promise<JwtVerifier> | undefined;
  const load = async (): Promise<JwtVerifier> => {
    const { IssuerVerifier } = await import('./verifier.js');
    return new IssuerVerifier(settings);
  };
  return {
    async verify(token, now, audience) {
      made ??= load().catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return (await made).verify(token, now, audience);
    },
  };
}
