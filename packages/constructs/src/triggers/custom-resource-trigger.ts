import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { misuse } from '../internal/misuse.js';
import { defineProps, literal, literalWords, thing, time } from '../internal/props.js';
import { claimSource, functionBehind, invokedBy, timeoutOf } from '../internal/targets.js';

/** Props of a custom resource whose requests a function answers. */
export interface CustomResourceMappingProps {
  /**
   * The properties of the resource, which the handler receives. CloudFormation sends scalars as strings.
   *
   * @default - none
   */
  readonly properties?: Readonly<Record<string, unknown>>;
  /**
   * The type in the template, `Custom::Seed`.
   *
   * @default 'AWS::CloudFormation::CustomResource'
   */
  readonly resourceType?: string;
  /**
   * The time after which CloudFormation fails the operation without an answer, 1 s to 1 h.
   *
   * @default - three times the timeout of the function, and 4 min: Lambda retries a failed invocation after 1 and after 2 min
   */
  readonly serviceTimeout?: Duration;
}

/** Props of {@link CustomResourceTrigger}. */
export interface CustomResourceTriggerProps extends CustomResourceMappingProps {
  /** The function, in the same account and region. */
  readonly fn: IFunction;
}

/** Validators and defaults for {@link CustomResourceTriggerProps}. */
export const CUSTOM_RESOURCE_TRIGGER_PROPS = defineProps<CustomResourceTriggerProps>('CustomResourceTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  properties: literal<Readonly<Record<string, unknown>>>(
    'an object without ServiceToken and ServiceTimeout',
    (value) =>
      typeof value === 'object' && value !== null && !('ServiceToken' in value) && !('ServiceTimeout' in value),
  ).default({}),
  resourceType: literalWords('Custom:: and 1 to 60 letters, digits, _, @ and -', /^Custom::[\w@-]{1,60}$/).default(
    'AWS::CloudFormation::CustomResource',
  ),
  serviceTimeout: time(1, 3600),
});

/**
 * A custom resource of the stack whose requests the function answers itself, for `customResource()` of `@sallyport/triggers` without `cdkProvider`. The function
 * and all its permissions exist before the resource is created, and after it is deleted.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-cloudformation-customresource.html
 * @example new CustomResourceTrigger(this, 'Seed', { fn, resourceType: 'Custom::Seed', properties: { table: notes.tableName } });
 */
export class CustomResourceTrigger extends Construct {
  /** The resource. */
  readonly resource: CustomResource;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, a function in another account or region */
  constructor(scope: Construct, id: string, props: CustomResourceTriggerProps) {
    super(scope, id);
    const { fn, properties, resourceType, serviceTimeout } = CUSTOM_RESOURCE_TRIGGER_PROPS.parse(this, props);
    const own = Stack.of(this);
    const other = Stack.of(functionBehind(fn));
    if (own.region !== other.region || own.account !== other.account) {
      throw misuse(this, {
        what: `${fn.node.path} is in ${other.account}, ${other.region}`,
        expected: `a function in ${own.account}, ${own.region}: CloudFormation invokes no other`,
      });
    }
    claimSource(this, fn, this.node.path, 'custom resource');
    this.resource = new CustomResource(this, 'Resource', {
      serviceToken: invokedBy(this, fn, false).functionArn,
      serviceTimeout: serviceTimeout ?? defaultTimeout(fn),
      resourceType,
      properties: { ...properties },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { role } = functionBehind(fn);
    if (role) this.resource.node.addDependency(role);
  }
}

const RETRIES_SECONDS = 240;
const MAX_SECONDS = 3600;

function defaultTimeout(fn: IFunction): Duration {
  const seconds = timeoutOf(fn)?.toSeconds() ?? 900;
  return Duration.seconds(Math.min(3 * seconds + RETRIES_SECONDS, MAX_SECONDS));
}
