import type { IConfiguration, IEnvironment } from 'aws-cdk-lib/aws-appconfig';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ILayerVersion } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IParameter } from 'aws-cdk-lib/aws-ssm';
import type { Size } from 'aws-cdk-lib/core';
import { count, literal, many, prop, thing, words } from '../internal/props.js';

/** Feature flags of AppConfig. */
export interface FunctionFlags {
  /** The profile of the flags, such as a `HostedConfiguration` of the type `FEATURE_FLAGS`. */
  readonly configuration: Pick<IConfiguration, 'configurationProfileId' | 'deploymentKey'>;
  /** The environment to which it is deployed. */
  readonly environment: IEnvironment;
  /**
   * The KMS key of the hosted configuration, which the function may then use to decrypt it.
   *
   * @default - the `deploymentKey` of the configuration
   */
  readonly encryptionKey?: IKey;
}

/** Props of a `ServiceFunction` that connect it to other resources of AWS, or reserve capacity. */
export interface FunctionResourceProps {
  /**
   * Secrets, by the name of a variable: the variable has the ARN of the secret, and the function may read the secret, with its KMS key.
   *
   * @default - none
   * @example { PAYMENTS_SECRET_ARN: paymentsSecret }
   */
  readonly secrets?: Readonly<Record<string, ISecret>>;
  /**
   * Parameters of Systems Manager, by the name of a variable: the variable has the ARN of the parameter, and the function may read the parameter, with
   * its KMS key.
   *
   * @default - none
   */
  readonly parameters?: Readonly<Record<string, IParameter>>;
  /**
   * Feature flags: the variable `FRAMEWORK_FLAGS_PROFILE` has their profile for `createParameters` of `@sallyport/parameters`, and the function may read it.
   *
   * @default - none
   */
  readonly flags?: FunctionFlags;
  /**
   * The network of the function. The function then reaches the internet only through a NAT gateway.
   *
   * @default - the network of AWS Lambda, with access to the internet
   */
  readonly vpc?: IVpc;
  /**
   * The subnets. Public subnets are rejected: a function has no public address.
   *
   * @default - the private subnets of `vpc`
   */
  readonly vpcSubnets?: SubnetSelection;
  /**
   * The security groups.
   *
   * @default - a new group with all outbound traffic
   */
  readonly securityGroups?: readonly ISecurityGroup[];
  /**
   * Layers, at most 5.
   *
   * @default - none
   */
  readonly layers?: readonly ILayerVersion[];
  /**
   * The number of environments that are initialized before a request arrives. The function gets the alias `live`, or with `separateDoors` its alias `doors`
   * has them; doors and triggers of this package invoke that alias. AWS charges for them.
   *
   * @default - none
   */
  readonly provisionedConcurrency?: number;
  /**
   * The maximum number of such environments: Application Auto Scaling adds them by their utilization.
   *
   * @default - `provisionedConcurrency`: no scaling
   */
  readonly maxProvisionedConcurrency?: number;
  /**
   * The share of used environments at which it adds more, 0.1 to 0.9.
   *
   * @default 0.7
   */
  readonly provisionedUtilization?: number;
  /**
   * The size of `/tmp`, 512 MiB to 10 GiB.
   *
   * @default Size.mebibytes(512)
   */
  readonly ephemeralStorage?: Size;
  /**
   * Your KMS key for the variables.
   *
   * @default - a key of AWS Lambda
   */
  readonly environmentKey?: IKey;
  /**
   * The description in the console, at most 256 characters.
   *
   * @default - none
   */
  readonly description?: string;
}

function record<T>(wanted: string, member: string) {
  return literal<Readonly<Record<string, T>>>(wanted, (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return Object.values(value).every((one) => typeof one === 'object' && one !== null && member in one);
  });
}

const MAX_LAYERS = 5;

/** Validators and defaults for {@link FunctionResourceProps}. */
export const FUNCTION_RESOURCE_KINDS = {
  secrets: record<ISecret>('an object of secrets by the names of their variables', 'secretArn').default({}),
  parameters: record<IParameter>('an object of parameters by the names of their variables', 'parameterArn').default({}),
  flags: literal<FunctionFlags>('an object of a configuration and an environment of AppConfig', (value) => {
    const { configuration, environment, encryptionKey } = (value ?? {}) as Partial<FunctionFlags>;
    const isKey = encryptionKey === undefined || hasMember('keyArn')(encryptionKey);
    return isKey && hasMember('configurationProfileId')(configuration) && hasMember('environmentId')(environment);
  }),
  vpc: thing<IVpc>('a Vpc', 'vpcId'),
  vpcSubnets: literal<SubnetSelection>(
    'a selection of subnets',
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
  securityGroups: many<ISecurityGroup>('a list of security groups', hasMember('securityGroupId')),
  layers: prop<readonly ILayerVersion[]>(
    `a list of at most ${MAX_LAYERS} layers`,
    (value) => Array.isArray(value) && value.length <= MAX_LAYERS && value.every(hasMember('layerVersionArn')),
  ),
  provisionedConcurrency: count(1, 1_000_000),
  maxProvisionedConcurrency: count(1, 1_000_000),
  provisionedUtilization: prop<number>(
    'a number from 0.1 to 0.9',
    (value) => typeof value === 'number' && value >= 0.1 && value <= 0.9,
  ).default(0.7),
  ephemeralStorage: prop<Size>('a Size from 512 MiB to 10 GiB', isStorage),
  environmentKey: thing<IKey>('a KMS key', 'keyArn'),
  description: words('a string of at most 256 characters', /^[\s\S]{0,256}$/),
};

function hasMember(member: string): (value: unknown) => boolean {
  return (value) => typeof value === 'object' && value !== null && member in value;
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-ephemeral-storage.html */
function isStorage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('toMebibytes' in value)) return false;
  const size = value as Size;
  if (size.isUnresolved()) return true;
  const mebibytes = size.toBytes() / 1_048_576;
  return Number.isInteger(mebibytes) && mebibytes >= 512 && mebibytes <= 10_240;
}
