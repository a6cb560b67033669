import { Policy, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnRotationSchedule, type ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { grantKey } from '../internal/keys.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, thing, time } from '../internal/props.js';
import { claimSource, functionBehind, invokedBy } from '../internal/targets.js';

/** Props of the mapping between a secret and the function that rotates it. */
export interface SecretRotationMappingProps {
  /**
   * The time between two rotations, 4 hours to 1,000 days.
   *
   * @default Duration.days(30)
   */
  readonly every?: Duration;
  /**
   * True if the secret is rotated as soon as the schedule is created or changed.
   *
   * @default false
   */
  readonly immediately?: boolean;
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link SecretRotationTrigger}. */
export interface SecretRotationTriggerProps extends SecretRotationMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The secret. */
  readonly secret: ISecret;
}

/** Validators and defaults for {@link SecretRotationTriggerProps}. */
export const SECRET_ROTATION_TRIGGER_PROPS = defineProps<SecretRotationTriggerProps>('SecretRotationTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  secret: thing<ISecret>('a secret', 'secretArn').required(),
  every: time(14_400, 86_400_000).default(Duration.days(30)),
  immediately: flag.default(false),
  ownAlias: flag.default(false),
});

/**
 * Rotates a secret with the four steps of `secretRotation()` of `@sallyport/triggers`. Only this secret may invoke the function, which may read and write only
 * its versions, with its KMS key. Secrets Manager starts a failed rotation again.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotating-secrets-required-permissions-function.html
 * @example new SecretRotationTrigger(this, 'Rotation', { fn, secret: database, every: Duration.days(7) });
 */
export class SecretRotationTrigger extends Construct {
  /** The schedule of the rotation. */
  readonly schedule: CfnRotationSchedule;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, an imported function; `constructs.conflict` for a second rotation of one secret
   */
  constructor(scope: Construct, id: string, props: SecretRotationTriggerProps) {
    super(scope, id);
    const { fn, secret, every, immediately, ownAlias } = SECRET_ROTATION_TRIGGER_PROPS.parse(this, props);
    const { role } = functionBehind(fn);
    if (!role) {
      throw misuse(this, { what: `the role of ${fn.node.path} is unknown`, expected: 'a function of this app' });
    }
    const hours = every.toHours({ integral: false });
    if (!Number.isInteger(hours)) throw misuse(this, { what: 'every', got: every, expected: 'whole hours' });
    claimSource(this, fn, secret.secretArn, 'rotation of a secret');
    const target = invokedBy(this, fn, ownAlias);
    // A separate policy, on which the function does not depend.
    const policy = new Policy(this, 'Policy', { roles: [role] });
    const secretArn = secret.secretFullArn ?? `${secret.secretArn}-??????`;
    const actions = ['DescribeSecret', 'GetSecretValue', 'PutSecretValue', 'UpdateSecretVersionStage'];
    policy.addStatements(
      new PolicyStatement({
        actions: actions.map((action) => `secretsmanager:${action}`),
        resources: [secretArn],
      }),
      new PolicyStatement({ actions: ['secretsmanager:GetRandomPassword'], resources: ['*'] }),
    );
    grantKey(secret.encryptionKey, role, 'secret', 'rotate');
    const reason = 'secretsmanager:GetRandomPassword has no resources: it is granted on * only';
    acknowledge(policy, 'AwsSolutions::AwsSolutions-IAM5[Resource::*]', reason);
    target.addPermission(`Rotation-${this.node.addr}`, {
      scope: this,
      principal: new ServicePrincipal('secretsmanager.amazonaws.com'),
      sourceAccount: Stack.of(this).account,
      sourceArn: secret.secretArn,
    });
    this.schedule = new CfnRotationSchedule(this, 'Resource', {
      secretId: secret.secretArn,
      rotationLambdaArn: target.functionArn,
      rotateImmediatelyOnUpdate: immediately,
      rotationRules: { scheduleExpression: rateOf(hours) },
    });
    this.schedule.node.addDependency(
      policy,
      ...this.node.children.filter(({ node }) => node.id.startsWith('Rotation-')),
    );
  }
}

/** @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/rotate-secrets_schedule.html */
function rateOf(hours: number): string {
  if (hours % 24 !== 0) return `rate(${hours} hours)`;
  return hours === 24 ? 'rate(1 day)' : `rate(${hours / 24} days)`;
}
