import { type Environment, FrameworkError } from '@sallyport/core';
import { abortAfter, lazily, missingPackage } from '@sallyport/core/internal';
import { defineOptions, integer, kind, text, withMethods } from '@sallyport/core/options';
import { MCP_SECRET_ARN_ENV } from '../schema.js';
import type { StoreCallOptions } from '../store/store.js';
import type { McpSecret } from './options.js';

/** The used part of a Secrets Manager client: `new SecretsManagerClient({})`. */
export interface SecretsSender {
  /** Sends one command. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Options of {@link secretFromArn}; an unknown key is rejected. */
export interface SecretFromArnOptions {
  /** ARN or name of the secret. Default: the variable `FRAMEWORK_MCP_SECRET_ARN`. */
  readonly arn?: string;
  /** The Secrets Manager client. Default: a client of this region, created at the first call. */
  readonly client?: SecretsSender;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
  /** Milliseconds for one call with all its attempts, 1 to 60,000. Default 5,000. */
  readonly timeoutMs?: number;
}

const OPTIONS = defineOptions<SecretFromArnOptions>()({
  arn: text('the ARN of a secret').orVariable(MCP_SECRET_ARN_ENV),
  client: withMethods<SecretsSender>('send'),
  environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
  timeoutMs: integer(1, 60_000, 'milliseconds').default(5000),
});

/** The AWS client: an optional peer, loaded when the secret is first needed. */
const loadSdk = lazily(async () => {
  try {
    return await import('@aws-sdk/client-secrets-manager');
  } catch (cause) {
    throw missingPackage('@aws-sdk/client-secrets-manager', cause);
  }
});

/**
 * The option `secret` of a server, read from AWS Secrets Manager at its first use: the value labelled `AWSCURRENT` encrypts, and the
 * value labelled `AWSPREVIOUS` only decrypts. The server reads it again after ten minutes, so a rotation reaches running instances. The
 * role of the function needs `secretsmanager:GetSecretValue`.
 *
 * @throws FrameworkError `app.invalid_configuration` if both the option and the variable are missing; the returned function rejects if
 *   Secrets Manager does not answer or the current value is shorter than 32 bytes
 *
 * @example createMcpServer({ name: 'notes', version: '1.0.0', secret: secretFromArn() });
 */
export function secretFromArn(options: SecretFromArnOptions = {}): (options?: StoreCallOptions) => Promise<McpSecret> {
  const { arn, client, timeoutMs } = OPTIONS.parse(options);
  let made: SecretsSender | undefined = client;
  return async ({ signal } = {}) => {
    const { GetSecretValueCommand, SecretsManagerClient } = await loadSdk();
    made ??= new SecretsManagerClient({}) as SecretsSender;
    const sender = made;
    const read = async (VersionStage: string): Promise<string | Uint8Array | undefined> => {
      const command = new GetSecretValueCommand({ SecretId: arn, VersionStage });
      const value = (await sender.send(command as never, {
        abortSignal: abortAfter(timeoutMs, signal),
      })) as SecretValue;
      return value.SecretString ?? value.SecretBinary;
    };
    const [current, previous] = await Promise.all([read('AWSCURRENT'), read('AWSPREVIOUS').catch(noneYet)]);
    if (current === undefined)
      throw new FrameworkError('app.invalid_configuration', 'framework: the secret has no value');
    return { current, previous: previous === undefined ? [] : [previous] };
  };
}

interface SecretValue {
  readonly SecretString?: string;
  readonly SecretBinary?: Uint8Array;
}

/** A secret that was never rotated has no previous value. */
function noneYet(error: unknown): undefined {
  if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
  throw error;
}
