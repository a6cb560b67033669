/** Names that infrastructure code shares with the reader. Imports nothing. */

/** Environment variable with the ids `application/environment/profile` of the feature flags, if `createParameters` has no `flags`. */
export const FLAGS_PROFILE_ENV = 'FRAMEWORK_FLAGS_PROFILE';

/** The key of the list in which `environment()` describes variables while an inventory is read. */
export const ENVIRONMENT_LIST = 'sallyport.parameters.environment/1';

/** IAM actions of the reader, by service. */
export const PARAMETERS_ACTIONS = {
  /** On each parameter. Several names are read with one `GetParameters`, and names that fail together are read alone. */
  parameters: ['ssm:GetParameters'],
  /** On each secret. */
  secrets: ['secretsmanager:GetSecretValue'],
  /** On `*`: this action has no resources. It returns only secrets that `secretsmanager:GetSecretValue` allows. */
  secretBatch: ['secretsmanager:BatchGetSecretValue'],
  /** On the configuration: `…:application/<id>/environment/<id>/configuration/<id>`. */
  flags: ['appconfig:StartConfigurationSession', 'appconfig:GetLatestConfiguration'],
} as const;
