/** The policies of a template, with ARNs instead of references. */

import type { Deployable } from '../deployment/account.js';
import { resolve } from '../deployment/references.js';
import type { PolicyStatement } from './decide.js';

const REGION = 'eu-west-1';
const ACCOUNT = '123456789012';

/** ARNs by type, for the id of a resource. */
const ARNS: Readonly<Record<string, (id: string) => string>> = {
  'AWS::DynamoDB::Table': (id) => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${id}`,
  'AWS::SQS::Queue': (id) => `arn:aws:sqs:${REGION}:${ACCOUNT}:${id}`,
  'AWS::SNS::Topic': (id) => `arn:aws:sns:${REGION}:${ACCOUNT}:${id}`,
  'AWS::Kinesis::Stream': (id) => `arn:aws:kinesis:${REGION}:${ACCOUNT}:stream/${id}`,
  'AWS::S3::Bucket': (id) => `arn:aws:s3:::${id}`,
  'AWS::KMS::Key': (id) => `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`,
  'AWS::Lambda::Function': (id) => `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${id}`,
  'AWS::Lambda::Alias': (id) => `arn:aws:lambda:${REGION}:${ACCOUNT}:function:fn:${id}`,
  'AWS::Lambda::MicrovmImage': (id) => `arn:aws:lambda:${REGION}:${ACCOUNT}:microvm-image:${id}`,
  'AWS::Logs::LogGroup': (id) => `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${id}:*`,
  'AWS::IAM::Role': (id) => `arn:aws:iam::${ACCOUNT}:role/${id}`,
  'AWS::SecretsManager::Secret': (id) => `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${id}`,
  'AWS::Events::EventBus': (id) => `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${id}`,
  'AWS::S3Vectors::Index': (id) => `arn:aws:s3vectors:${REGION}:${ACCOUNT}:bucket/b/index/${id}`,
};
/** Types whose `Ref` is their ARN. */
const REF_IS_ARN = new Set(['AWS::SNS::Topic', 'AWS::SecretsManager::Secret', 'AWS::Lambda::Alias']);
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

interface Document {
  readonly Statement?: readonly PolicyStatement[];
}

type Properties = Readonly<Record<string, unknown>>;

/** Reads a template. */
export class TemplatePolicies {
  constructor(readonly template: Deployable) {}

  /** A value with ARNs and names instead of references. */
  value<T = unknown>(value: unknown): T {
    const lookup = (id: string, attribute?: string) => {
      const type = this.template.Resources[id]?.Type;
      if (type === undefined) return PSEUDO[id] ?? id;
      const arn = ARNS[type]?.(id) ?? `arn:aws:unknown:::${id}`;
      if (attribute === undefined) return REF_IS_ARN.has(type) ? arn : id;
      if (attribute === 'StreamArn') return `${arn}/stream/2026`;
      return attribute === 'Arn' || attribute.endsWith('Arn') ? arn : `${id}.${attribute}`;
    };
    return resolve(value, lookup, (name) => name) as T;
  }

  /** The ids of a type. */
  ids(type: string): readonly string[] {
    return Object.entries(this.template.Resources).flatMap(([id, { Type }]) => (Type === type ? [id] : []));
  }

  properties(id: string): Properties {
    return this.value<Properties>(this.template.Resources[id]?.Properties ?? {});
  }

  /** The statements of a role, and of the policies that name it. */
  ofRole(role: string): readonly PolicyStatement[] {
    const own = ((this.properties(role).Policies ?? []) as { PolicyDocument: Document }[]).flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement ?? [],
    );
    const others = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      this.ids(type).flatMap((id) => {
        const { Roles = [], PolicyDocument } = this.properties(id) as {
          Roles?: readonly string[];
          PolicyDocument: Document;
        };
        return Roles.includes(role) ? (PolicyDocument.Statement ?? []) : [];
      }),
    );
    return [...own, ...others];
  }

  /** The statements of the policy of a resource. */
  ofResource(arn: string): readonly PolicyStatement[] {
    const key = this.ids('AWS::KMS::Key').find(
      (id) => this.value({ Arn: { 'Fn::GetAtt': [id, 'Arn'] } as unknown }) && ARNS['AWS::KMS::Key']?.(id) === arn,
    );
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
