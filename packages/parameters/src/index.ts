export { type EnvironmentSchemas, type EnvironmentValues, environment } from './environment.js';
export { PARAMETERS_ERROR_CODES, ParametersError, type ParametersErrorCode } from './errors.js';
export type { AwsSender } from './internal/source.js';
export type { ParametersClients, ParametersOptions } from './options.js';
export { createFlags, createParameters, createSecrets, createSsmParameters } from './parameters.js';
export type {
  Flag,
  FlagContext,
  FlagReader,
  FlagsProfile,
  ParameterOptions,
  Parameters,
  ReadScope,
  SecretOptions,
  ValueName,
  ValueReader,
  ValueSchema,
} from './readers.js';
export { Secret } from './secret.js';
