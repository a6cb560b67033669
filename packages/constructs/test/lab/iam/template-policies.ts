/** The policies of a template, with ARNs instead of references. */

import type { Deployable } from '../deployment/account.js';
import { resolve } from '../deployment/references.js';
import type { PolicyStatement } from './decide.js';

const REGION = 'eu-west-1';
const ACCOUNT = '123456789012';

type Properties = Readonly<Record<string, unknown>>;

/** ARNs by type, for the id of a resource and its properties. */
const ARNS: Readonly<Record<string, (id: string, properties: () => Properties) => string>> = {
  'AWS::DynamoDB::Table': (id) => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${id}`,
  'AWS::SQS::Queue': (id) => `arn:aws:sqs:${REGION}:${ACCOUNT}:${id}`,
  'AWS::SNS::Topic': (id) => `arn:aws:sns:${REGION}:${ACCOUNT}:${id}`,
  'AWS::Kinesis::Stream': (id) => `arn:aws:kinesis:${REGION}:${ACCOUNT}:stream/${id}`,
  'AWS::S3::Bucket': (id) => `arn:aws:s3:::${id}`,
  'AWS::KMS::Key': (id) => `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`,
  'AWS::Lambda::Function': (id) => `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${id}`,
  'AWS::Lambda::Alias': (_id, properties) => qualified(properties(), String(properties().Name)),
  'AWS::Lambda::Version': (_id, properties) => qualified(properties(), '1'),
  'AWS::Lambda::MicrovmImage': (id) => `arn:aws:lambda:${REGION}:${ACCOUNT}:microvm-image:${id}`,
  'AWS::Logs::LogGroup': (id) => `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${id}:*`,
  'AWS::IAM::Role': (id) => `arn:aws:iam::${ACCOUNT}:role/${id}`,
  'AWS::SecretsManager::Secret': (id) => `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${id}`,
  'AWS::Events::EventBus': (id) => `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${id}`,
  'AWS::S3Vectors::Index': (id) => `arn:aws:s3vectors:${REGION}:${ACCOUNT}:bucket/b/index/${id}`,
  'AWS::CloudWatch::Alarm': (id) => `arn:aws:cloudwatch:${REGION}:${ACCOUNT}:alarm:${id}`,
  'AWS::CodeDeploy::DeploymentGroup': (id, properties) =>
    `arn:aws:codedeploy:${REGION}:${ACCOUNT}:deploymentgroup:${String(properties().ApplicationName)}/${id}`,
};
/** The ARN of an alias or a version. */
function qualified({ FunctionName }: Properties, qualifier: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${String(FunctionName).split(':').at(-1)}:${qualifier}`;
}
/** Types whose `Ref` is their ARN. */
const REF_IS_ARN = new Set([
  'AWS::SNS::Topic',
  'AWS::SecretsManager::Secret',
  'AWS::Lambda::Alias',
  'AWS::Lambda::Version',
]);
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The policies of AWS that roles of this package have. */
const MANAGED: Readonly<Record<string, PolicyStatement>> = {
  // https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonAPIGatewayPushToCloudWatchLogs.html
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': {
    Effect: 'Allow',
    Action: [
      'logs:CreateLogGroup',
      'logs:CreateLogStream',
      'logs:DescribeLogGroups',
      'logs:DescribeLogStreams',
      'logs:FilterLogEvents',
      'logs:GetLogEvents',
      'logs:PutLogEvents',
    ],
    Resource: '*',
  },
};

function managedPolicy(arn: string): PolicyStatement {
  const found = MANAGED[arn.replace(/^arn:[^:]+:iam::aws:policy\//, '')];
  if (found === undefined) throw new Error(`template-policies.ts does not know the managed policy ${arn}`);
  return found;
}

interface Document {
  readonly Statement?: readonly PolicyStatement[];
}

/** Reads a template. */
export class TemplatePolicies {
  readonly #arns = new Map<string, string>();
  readonly #properties = new Map<string, Properties>();
  readonly #resourcePolicies = new Map<string, readonly PolicyStatement[]>();

  constructor(readonly template: Deployable) {}

  /** A value with ARNs and names instead of references. */
  value<T = unknown>(value: unknown): T {
    const lookup = (id: string, attribute?: string) => {
      const type = this.template.Resources[id]?.Type;
      if (type === undefined) return PSEUDO[id] ?? id;
      const arn = this.arnOf(id);
      if (attribute === undefined) return REF_IS_ARN.has(type) ? arn : id;
      if (attribute === 'StreamArn') return `${arn}/stream/2026`;
      return attribute === 'Arn' || attribute.endsWith('Arn') ? arn : `${id}.${attribute}`;
    };
    return resolve(value, lookup, (name) => name) as T;
  }

  /** The ARN of a resource. */
  arnOf(id: string): string {
    const arnOf = ARNS[this.template.Resources[id]?.Type ?? ''];
    const arn = this.#arns.get(id) ?? arnOf?.(id, () => this.properties(id)) ?? `arn:aws:unknown:::${id}`;
    this.#arns.set(id, arn);
    return arn;
  }

  /** The id of the resource with this ARN, or of the resource that a part of it belongs to; `undefined` for a resource outside the template. */
  idOf(arn: string): string | undefined {
    return Object.keys(this.template.Resources).find((id) => {
      const own = this.arnOf(id);
      return arn === own || arn.startsWith(`${own}/`);
    });
  }

  /** The id of the function that this ARN or name invokes: of an alias, of a version, or of the function. */
  functionBehind(target: string): string {
    return /:function:([^:]+)/.exec(target)?.[1] ?? target.replace(/:.*/, '');
  }

  /** The full ARN of a secret: a secret that is imported by its name has six further characters. */
  secretArn(arn: string): string {
    return this.idOf(arn) === undefined && !/-[a-zA-Z0-9]{6}$/.test(arn) ? `${arn}-AbCdEf` : arn;
  }

  /** The ids of a type. */
  ids(type: string): readonly string[] {
    return Object.entries(this.template.Resources).flatMap(([id, { Type }]) => (Type === type ? [id] : []));
  }

  properties(id: string): Properties {
    const properties =
      this.#properties.get(id) ?? this.value<Properties>(this.template.Resources[id]?.Properties ?? {});
    this.#properties.set(id, properties);
    return properties;
  }

  /** The statements of a role, and of the policies that name it. */
  ofRole(role: string): readonly PolicyStatement[] {
    const { Policies = [], ManagedPolicyArns = [] } = this.properties(role) as {
      readonly Policies?: readonly { readonly PolicyDocument: Document }[];
      readonly ManagedPolicyArns?: readonly string[];
    };
    const own = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement ?? []);
    const others = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      this.ids(type).flatMap((id) => {
        const { Roles = [], PolicyDocument } = this.properties(id) as {
          Roles?: readonly string[];
          PolicyDocument: Document;
        };
        return Roles.includes(role) ? (PolicyDocument.Statement ?? []) : [];
      }),
    );
    return [...own, ...ManagedPolicyArns.map(managedPolicy), ...others];
  }

  /** The statements of the policy of a resource. */
  ofResource(arn: string): readonly PolicyStatement[] {
    const statements = this.#resourcePolicies.get(arn) ?? this.#readResource(arn);
    this.#resourcePolicies.set(arn, statements);
    return statements;
  }

  #readResource(arn: string): readonly PolicyStatement[] {
    // Keys of AWS allow every caller of the account through their service: https://docs.aws.amazon.com/kms/latest/developerguide/key-policies.html
    if (arn.includes(':alias/aws/')) return [{ Effect: 'Allow', Principal: '*', Action: 'kms:*', Resource: '*' }];
    const key = this.ids('AWS::KMS::Key').find((id) => this.arnOf(id) === arn);
    if (key !== undefined) return (this.properties(key).KeyPolicy as Document).Statement ?? [];
    const owners: Readonly<Record<string, string>> = {
      'AWS::S3::BucketPolicy': 'Bucket',
      'AWS::SQS::QueuePolicy': 'Queues',
      'AWS::SNS::TopicPolicy': 'Topics',
    };
    return Object.entries(owners).flatMap(([type, property]) =>
      this.ids(type).flatMap((id) => {
        const properties = this.properties(id);
        const named = ([properties[property]].flat() as string[]).some(
          (one) => arn === one || arn.split(/[:/]/).includes(one),
        );
        return named ? ((properties.PolicyDocument as Document).Statement ?? []) : [];
      }),
    );
  }

  /** The principals that may assume a role. */
  trustOf(role: string): readonly PolicyStatement[] {
    return (this.properties(role).AssumeRolePolicyDocument as Document).Statement ?? [];
  }

  /** The role of a function, as a logical id. */
  roleOf(fn: string): string {
    return String(this.properties(fn).Role).split('/').at(-1) ?? '';
  }

  /** The variables of a function. */
  variables(fn: string): Readonly<Record<string, string>> {
    return ((this.properties(fn).Environment as { Variables?: Record<string, string> } | undefined)?.Variables ??
      {}) as Record<string, string>;
  }
}
