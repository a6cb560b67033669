import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.js';
import { usageError } from '../errors.js';

/** The credentials of one run, created at its start. The function and the developer's clients sign with them. */
export interface RunKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Session token of the developer's credentials, if AWS services are called for real. */
  readonly sessionToken?: string;
}

/**
 * Creates the keys of a run. With `--aws` they are the developer's keys, so that the real services accept them.
 *
 * @throws FrameworkError `local.usage` for `--aws` without keys in the environment
 */
export function createKeys({ aws }: Pick<Config, 'aws'>): RunKeys {
  if (aws.length === 0) {
    return {
      accessKeyId: `AKIALOCAL${randomBytes(6).toString('hex').toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString('base64'),
    };
  }
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env;
  if (!accessKeyId || !secretAccessKey) {
    throw usageError(
      '--aws needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment: aws configure export-credentials --format env prints them',
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
