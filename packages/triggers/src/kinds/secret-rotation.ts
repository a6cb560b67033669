import { membersOf, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventHandler } from '@sallyport/streams/delivery';
import { invalidEvent } from '../errors.js';
import { assertHandler, NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** One step of a rotation: https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_lambda.html. */
export interface SecretRotationStep {
  /** The ARN of the secret. */
  readonly secretId: string;
  /** The id of the new version, the same in all steps: `ClientRequestToken`. */
  readonly token: string;
  /** Identity of the requester, for rotations across accounts; absent otherwise. */
  readonly rotationToken?: string;
}

/** The four steps in their order; Secrets Manager may repeat each step for the same version. */
export interface SecretRotationSteps {
  /** Makes the new version with the label `AWSPENDING`, unless it exists. */
  readonly createSecret: EventHandler<SecretRotationStep>;
  /** Sets it in the service. */
  readonly setSecret: EventHandler<SecretRotationStep>;
  /** Tests it. */
  readonly testSecret: EventHandler<SecretRotationStep>;
  /** Moves the label `AWSCURRENT` to it, unless it is already there. */
  readonly finishSecret: EventHandler<SecretRotationStep>;
}

const STEPS = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const;

/** Row, natural key and answer of rotations of secrets. @internal */
export const SECRET_ROTATION_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'secret-rotation',
  anyOf: STEPS.map((value) => [
    { path: 'Step', test: 'equals', value },
    { path: 'SecretId', test: 'text' },
    { path: 'ClientRequestToken', test: 'text' },
  ]),
  sample: { Step: 'createSecret', SecretId: 's', ClientRequestToken: 't' },
  // All steps of a rotation have the same token.
  key: ({ source, keyPart = '', id }: Delivered) => keyOf(source.arn, keyPart, id),
  answer: 'null',
});

/** Functions that rotate secrets. */
export class SecretRotation extends NamedTrigger {
  readonly #steps = new Map<string, SecretRotationSteps>();

  constructor() {
    super(SECRET_ROTATION_TRIGGER, 'secret', 'secret');
  }

  /**
   * Registers the four steps of a secret. A throw fails the rotation, which Secrets Manager begins again; a secret that is not
   * registered throws too.
   *
   * @param name of the secret, its ARN, or a name that `FRAMEWORK_EVENT_SOURCES` maps under `secret`
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a step that is missing
   * @example secretRotation().secret('database', { createSecret, setSecret, testSecret, finishSecret });
   */
  secret(name: string, steps: SecretRotationSteps): this {
    for (const step of STEPS) assertHandler(steps?.[step], `secretRotation ${step}`);
    this.#steps.set(name, { ...steps });
    return this.add(name, steps.createSecret);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { Step, SecretId, ClientRequestToken, RotationToken } = membersOf(event);
    const step = STEPS.find((one) => one === Step);
    if (!step) throw invalidEvent(this.kind, 'Step is unknown');
    const secretId = requiredText(this.kind, 'SecretId', SecretId);
    const token = requiredText(this.kind, 'ClientRequestToken', ClientRequestToken);
    const name = nameOf(secretId);
    const entry = this.handlerOf(name, secretId, name);
    const { [step]: handler } = this.#steps.get(entry.name) as SecretRotationSteps;
    const rotationToken = stringOf(RotationToken);
    const record: SecretRotationStep = { secretId, token, ...(rotationToken !== '' && { rotationToken }) };
    return [{ handler, record, id: token, keyPart: step, name: entry.name, source: sourceOf(name, secretId) }];
  }
}

/** `arn:…:secret:<name>-<six characters>`: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html. */
const SECRET_ARN = /^arn:[^:]+:secretsmanager:[^:]*:[^:]*:secret:(.+)-[A-Za-z0-9]{6}$/;

function nameOf(secretId: string): string {
  return SECRET_ARN.exec(secretId)?.[1] ?? secretId;
}

/**
 * Makes the surface for the rotation of secrets of Secrets Manager.
 *
 * @example
 * const rotation = secretRotation().secret('database', { createSecret, setSecret, testSecret, finishSecret });
 * const app = new SecureApp({ principalResolver, surfaces: [rotation] });
 */
export function secretRotation(): SecretRotation {
  return new SecretRotation();
}
