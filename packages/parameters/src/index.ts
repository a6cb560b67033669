export { type EnvironmentSchemas, type EnvironmentValues, environment } from './environment.js';
export { PARAMETERS_ERROR_CODES, ParametersError, type ParametersErrorCode } from './errors.js';
export type { FlagsProfile } from './internal/flags.js';
export type { AwsSender } from './internal/source.js';
export type { ParametersClients, ParametersOptions } from './options.js';
export {
  createParameters,
  type Flag,
  type FlagContext,
  type FlagReader,
  type ParameterOptions,
  type Parameters,
  type ReadScope,
  type SecretOptions,
  type ValueName,
  type ValueReader,
  type ValueSchema,
} from './parameters.js';
export { Secret } from './secret.js';
