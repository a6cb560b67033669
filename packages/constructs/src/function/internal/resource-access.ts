import { FLAGS_PROFILE_ENV, PARAMETERS_ACTIONS } from '@sallyport/parameters/schema';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ILayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IParameter } from 'aws-cdk-lib/aws-ssm';
import { Stack, Token } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import { checkVariable } from '../../internal/environment.js';
import { grantOn } from '../../internal/grants.js';
import { grantKey } from '../../internal/keys.js';
import { misuse } from '../../internal/misuse.js';
import { grantOnParts } from '../../internal/wildcards.js';
import type { FunctionFlags } from '../function-resources.js';

/** The props of a function that name resources which it reads. */
interface ReadProps {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, ISecret>>;
  readonly parameters: Readonly<Record<string, IParameter>>;
  readonly flags?: FunctionFlags | undefined;
}

/**
 * The variables of secrets and parameters: their ARNs, which both services accept instead of a name.
 *
 * @throws ConstructError `constructs.conflict` for a name that another prop uses, `constructs.reserved_variable`, `constructs.invalid_prop` for a secret or
 *   parameter that the function cannot read
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html
 */
export function resourceVariables(at: Construct, { environment, secrets, parameters, flags }: ReadProps) {
  const variables: Record<string, string> = {};
  const add = (prop: string, name: string, arn: string) => {
    // An ARN is not a secret, regardless of the name of its variable.
    checkVariable(at, name, arn, [name]);
    const other = Object.hasOwn(environment, name) ? 'environment' : Object.hasOwn(variables, name) ? 'secrets' : '';
    if (other !== '') {
      const what = `variable ${name} is in ${other} and in ${prop}`;
      throw misuse(at, { what, expected: 'two names', code: 'constructs.conflict' });
    }
    variables[name] = arn;
  };
  for (const [name, secret] of Object.entries(secrets)) {
    checkPlace(at, `secrets.${name}`, secret, 'a replica of the secret in the region of the function');
    checkForeignSecret(at, name, secret);
    add('secrets', name, secret.secretArn);
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    checkPlace(at, `parameters.${name}`, parameter, 'a parameter in the region of the function');
    add('parameters', name, parameter.parameterArn);
  }
  if (flags) {
    checkPlace(at, 'flags.environment', flags.environment, 'an environment of AppConfig in the region of the function');
    variables[FLAGS_PROFILE_ENV] = flagIds(flags).join('/');
  }
  return variables;
}

/** Allows the function to read its secrets and parameters, with their keys. */
export function grantResources(role: IGrantable, { secrets, parameters, flags }: ReadProps): void {
  if (Object.keys(secrets).length > 1) {
    const reason =
      'secretsmanager:BatchGetSecretValue has no resources; it returns only secrets that GetSecretValue allows';
    grantOnParts(role, PARAMETERS_ACTIONS.secretBatch, ['*'], reason);
  }
  for (const secret of Object.values(secrets)) {
    // A secret that is imported by its name has six further characters in its ARN.
    grantOn(role, PARAMETERS_ACTIONS.secrets, [secret.secretFullArn ?? `${secret.secretArn}-??????`]);
    grantKey(secret.encryptionKey, role, 'secret', 'read');
  }
  for (const parameter of Object.values(parameters)) {
    // `@sallyport/parameters` reads several names with one GetParameters.
    grantOn(role, ['ssm:GetParameter', ...PARAMETERS_ACTIONS.parameters], [parameter.parameterArn]);
    grantKey((parameter as { readonly encryptionKey?: IKey }).encryptionKey, role, 'parameter', 'read');
  }
  if (flags) {
    const [application, environment, profile] = flagIds(flags);
    const resourceName = `${application}/environment/${environment}/configuration/${profile}`;
    const arn = Stack.of(flags.environment).formatArn({ service: 'appconfig', resource: 'application', resourceName });
    grantOn(role, PARAMETERS_ACTIONS.flags, [arn]);
    // The caller of GetLatestConfiguration needs the permission to decrypt.
    grantKey(flags.encryptionKey ?? flags.configuration.deploymentKey, role, 'flags', 'read');
  }
}

/** The ids of application, environment and profile. */
function flagIds({ configuration, environment }: FunctionFlags): readonly [string, string, string] {
  return [environment.applicationId, environment.environmentId, configuration.configurationProfileId];
}

/** Rejects a resource of another region, whose ARN the SDK would send to the region of the function. */
export function checkPlace(at: IConstruct, label: string, resource: IConstruct, expected: string): void {
  const { region } = Stack.of(at);
  const own = (resource as { readonly env?: { readonly region: string } }).env?.region ?? region;
  if (Token.isUnresolved(region) || Token.isUnresolved(own) || own === region) return;
  throw misuse(at, { what: `${label} is in the region ${own}, and the stack in ${region}`, expected });
}

/**
 * Rejects a secret of another account that is encrypted with a key which AWS manages: its policy cannot allow another account.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_examples_cross.html
 */
function checkForeignSecret(at: Construct, name: string, secret: ISecret): void {
  const { account } = Stack.of(at);
  const own = secret.env.account;
  if (Token.isUnresolved(account) || Token.isUnresolved(own) || own === account || secret.encryptionKey) return;
  throw misuse(at, {
    what: `secrets.${name} is in the account ${own}, and its key is unknown`,
    expected:
      'a secret that is imported with its encryptionKey, a KMS key of yours: other accounts cannot use the key of AWS',
  });
}

/** The props of a function that determine its network. */
interface NetworkProps {
  readonly vpc?: IVpc | undefined;
  readonly vpcSubnets?: SubnetSelection | undefined;
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
}

/** The network of a function, checked. @throws ConstructError `constructs.invalid_prop` */
export function networkOf(at: Construct, { vpc, vpcSubnets, securityGroups }: NetworkProps) {
  if (!vpc) {
    if (!vpcSubnets && !securityGroups) return {};
    throw misuse(at, { what: `${vpcSubnets ? 'vpcSubnets' : 'securityGroups'} without vpc`, expected: 'vpc too' });
  }
  checkPlace(at, 'vpc', vpc, 'a Vpc in the region of the function');
  const subnets = selectSubnets(at, vpc, vpcSubnets);
  if (subnets.hasPublic) {
    throw misuse(at, {
      what: 'vpcSubnets selects a public subnet, in which a function has no access to the internet',
      expected: 'private subnets, with a NAT gateway for access to the internet',
    });
  }
  return { vpc, ...(vpcSubnets && { vpcSubnets }), ...(securityGroups && { securityGroups: [...securityGroups] }) };
}

function selectSubnets(at: Construct, vpc: IVpc, selection: SubnetSelection | undefined) {
  try {
    return vpc.selectSubnets(selection);
  } catch (cause) {
    // The message of the CDK lists the groups of subnets.
    const shown = cause instanceof Error ? cause.message : 'unknown';
    throw misuse(at, {
      what: `vpcSubnets selects no subnet of ${vpc.node.path}: ${shown}`,
      expected: 'a group of private subnets',
      cause,
    });
  }
}

/**
 * Lambda creates network interfaces with the role of the function. AWS's managed policy grants the same actions and `logs:CreateLogGroup`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export function grantNetworkInterfaces(at: Construct, role: IGrantable): void {
  const any = (resource: string) => Stack.of(at).formatArn({ service: 'ec2', resource, resourceName: '*' });
  const made = 'Lambda creates network interfaces for the function; their ids are not known in advance';
  grantOnParts(
    role,
    ['ec2:CreateNetworkInterface'],
    [any('network-interface'), any('subnet'), any('security-group')],
    made,
  );
  grantOnParts(
    role,
    ['ec2:AssignPrivateIpAddresses', 'ec2:DeleteNetworkInterface', 'ec2:UnassignPrivateIpAddresses'],
    [any('network-interface')],
    made,
  );
  const describing =
    'ec2:DescribeNetworkInterfaces and ec2:DescribeSubnets have no resources: they are granted on * only';
  grantOnParts(role, ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'], ['*'], describing);
}

/** Rejects a layer for other runtimes, which AWS accepts and whose code then fails. */
export function checkLayers(at: Construct, layers: readonly ILayerVersion[], runtime: Runtime): void {
  for (const { compatibleRuntimes, node } of layers) {
    if (!compatibleRuntimes || compatibleRuntimes.some((one) => one.runtimeEquals(runtime))) continue;
    const names = compatibleRuntimes.map(({ name }) => name).join(', ');
    throw misuse(at, { what: `layer ${node.path} is for ${names}`, expected: `a layer for ${runtime.name}` });
  }
}
