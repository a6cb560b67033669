import { isObject } from '@sallyport/core/internal';
import { invalidConfiguration, isStandardSchema } from '@sallyport/core/options';
import { createEngine, type Definition, type FlagState } from './internal/engine.js';
import { PARAMETERS_OPTIONS, type ParametersOptions } from './options.js';
import type {
  FlagContext,
  FlagReader,
  ParameterOptions,
  Parameters,
  ReadScope,
  SecretOptions,
  ValueName,
  ValueSchema,
} from './readers.js';

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
  const parsed = PARAMETERS_OPTIONS.parse(options);
  const { ttlMs, maxAgeMs = ttlMs * 10 } = parsed;
  if (maxAgeMs < ttlMs) throw invalidConfiguration('option "maxAgeMs" must be at least ttlMs');
  const engine = createEngine({ ...parsed, maxAgeMs });
  const define = (definition: Definition) => {
    const { kind, name, schema } = definition;
    if (!isFilled(name) && (kind === 'flag' || !isObject(name) || !isFilled(name.variable)))
      throw invalidConfiguration(`the name of a ${kind} must be a string that is not blank, or { variable }`);
    if (schema !== undefined && !isStandardSchema(schema))
      throw invalidConfiguration(`the schema of ${kind} ${JSON.stringify(name)} must be a Standard Schema (version 1)`);
    const entry = engine.add(definition);
    return {
      get: (scope?: ReadScope) => engine.read(entry, scope?.signal),
      refresh: (scope?: ReadScope) => engine.read(entry, scope?.signal, true),
    };
  };
  const values = {
    parameter: (name: ValueName, schema?: ValueSchema<unknown>, given?: ParameterOptions) =>
      define({ kind: 'parameter', name, schema, ...given }),
    secret: (name: ValueName, schema?: ValueSchema<unknown>, given?: SecretOptions) =>
      define({ kind: 'secret', name, schema, ...given }),
    flag(name: string, schema?: ValueSchema<unknown>): FlagReader<unknown> {
      const { get } = define({ kind: 'flag', name, schema });
      const read = async (scope?: ReadScope, context: FlagContext = {}) =>
        ((await get(scope)) as FlagState | undefined) ?? engine.evaluate(name.trim(), schema, context, scope?.signal);
      return {
        get: async (...given) => (await read(...given)).value,
        isOn: async (...given) => (await read(...given)).isOn,
      };
    },
    ready: (scope?: ReadScope) => engine.ready(scope?.signal),
  };
  return values as Parameters;
}

function isFilled(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== '';
}
