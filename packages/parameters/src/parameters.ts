import { createEngine } from './internal/engine.js';
import { flagReader } from './internal/flags.js';
import { secretReader } from './internal/secrets.js';
import { parameterReader } from './internal/ssm.js';
import type { ParametersOptions } from './options.js';
import type { Parameters } from './readers.js';

/**
 * Creates readers of parameters, secrets and feature flags. Values are cached for `ttlMs` and read again in the background. If a call fails,
 * the last good value is used, with one `error` line and the metric `ParameterFailures`. Creates no client and sends no request.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * export const { parameter, secret, flag, ready } = createParameters();
 * export const orderLimit = parameter('/orders/limit', z.coerce.number());
 */
export function createParameters(options: ParametersOptions = {}): Parameters {
  const engine = createEngine(options);
  const readers = { parameter: parameterReader(engine), secret: secretReader(engine), flag: flagReader(engine) };
  return { ...readers, ready: engine.ready } as Parameters;
}

/**
 * {@link createParameters} for Parameter Store alone: a bundle has no code of the other services.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * export const { parameter } = createSsmParameters();
 * export const orderLimit = parameter('/orders/limit', z.coerce.number());
 */
export function createSsmParameters(options: ParametersOptions = {}): Pick<Parameters, 'parameter' | 'ready'> {
  const engine = createEngine(options);
  return { parameter: parameterReader(engine) as Parameters['parameter'], ready: engine.ready };
}

/**
 * {@link createParameters} for Secrets Manager alone: a bundle has no code of the other services.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * export const { secret } = createSecrets();
 * export const signingKey = secret('orders/signing-key');
 */
export function createSecrets(options: ParametersOptions = {}): Pick<Parameters, 'secret' | 'ready'> {
  const engine = createEngine(options);
  return { secret: secretReader(engine) as Parameters['secret'], ready: engine.ready };
}

/**
 * {@link createParameters} for feature flags of AppConfig alone: a bundle has no code of the other services.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * export const { flag } = createFlags();
 * export const newCheckout = flag('new-checkout');
 */
export function createFlags(options: ParametersOptions = {}): Pick<Parameters, 'flag' | 'ready'> {
  const engine = createEngine(options);
  return { flag: flagReader(engine) as Parameters['flag'], ready: engine.ready };
}
