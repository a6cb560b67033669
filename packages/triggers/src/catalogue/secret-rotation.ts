import { defineOptions, oneOf, string } from '@sallyport/core/options';
import { SECRET_ROTATION_TRIGGER, secretRotation } from '../kinds/secret-rotation.js';
import { describeTrigger } from './entry.js';

/** Options of {@link buildSecretRotationEvent}. */
export interface SecretRotationEventOptions {
  /** Default `createSecret`. */
  readonly step?: 'createSecret' | 'setSecret' | 'testSecret' | 'finishSecret';
  /** The id of the new version. Default `version-1`. */
  readonly token?: string;
}

const ROTATION_EVENT = /* @__PURE__ */ defineOptions<SecretRotationEventOptions>()({
  step: oneOf('createSecret', 'setSecret', 'testSecret', 'finishSecret').default('createSecret'),
  token: string.default('version-1'),
});

/** One step of a rotation. */
export interface SecretRotationEvent {
  /** The step. */
  readonly Step: 'createSecret' | 'setSecret' | 'testSecret' | 'finishSecret';
  /** The ARN of the secret. */
  readonly SecretId: string;
  /** The id of the new version. */
  readonly ClientRequestToken: string;
}

/**
 * Builds one step of the rotation of a secret.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_lambda.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildSecretRotationEvent('database', { step: 'setSecret' });
 */
export function buildSecretRotationEvent(name: string, options: SecretRotationEventOptions = {}): SecretRotationEvent {
  const { step, token } = ROTATION_EVENT.parse(options);
  const SecretId = `arn:aws:secretsmanager:us-east-1:123456789012:secret:${name}-AbCdEf`;
  return { Step: step, SecretId, ClientRequestToken: token };
}

const SECRET = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:database-AbCdEf';

/** Rotation of secrets in the catalogue. @internal */
export const SECRET_ROTATION = /* @__PURE__ */ describeTrigger(SECRET_ROTATION_TRIGGER, {
  sample: {
    build: buildSecretRotationEvent,
    events: [
      [buildSecretRotationEvent('database'), `${SECRET}|createSecret|version-1`],
      [buildSecretRotationEvent('database', { step: 'finishSecret' }), `${SECRET}|finishSecret|version-1`],
    ],
    names: ['database'],
    register: (handlers) =>
      handlers.reduce(
        (trigger, [name, step]) =>
          trigger.secret(name, { createSecret: step, setSecret: step, testSecret: step, finishSecret: step }),
        secretRotation(),
      ),
  },
  docs: {
    section: 'Secret rotation',
    rows: [
      [
        '`secretRotation()` with `secret(name, steps)`; `SecretRotation`, `SecretRotationSteps`, `SecretRotationStep`',
        'rotations of Secrets Manager',
      ],
    ],
  },
  construct: 'secret',
  simulate: 'rotation',
  aws: {
    author: 'Secrets Manager',
    failure: 'Secrets Manager retries the rotation',
    limit: 'not read',
    attached: 'the rotation of the secret',
  },
  sizes: { factory: 'secretRotation', gzipBytes: 11_150 },
});
