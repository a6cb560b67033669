import type { Grant } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Fn, Stack } from 'aws-cdk-lib/core';
import { grantOn } from '../../internal/grants.js';
import { grantKey } from '../../internal/keys.js';
import { grantOnParts } from '../../internal/wildcards.js';

/** Actions on the cluster that every mapping needs, regardless of its authentication. */
export const KAFKA_CLUSTER_ACTIONS: readonly string[] = ['kafka:DescribeClusterV2', 'kafka:GetBootstrapBrokers'];

/** The topic, and the role or secret that reads it. */
export interface KafkaSource {
  /** `undefined` for brokers that are not of Amazon MSK. */
  readonly clusterArn: string | undefined;
  readonly topic: string;
  readonly consumerGroup: string;
  /** The credentials and certificates of the poller; empty if the cluster authenticates the role. */
  readonly secrets: readonly ISecret[];
  /** True if Lambda reaches the brokers through network interfaces. */
  readonly isInNetwork: boolean;
}

/**
 * Allows the function role to read one topic in one consumer group, and Lambda to reach the brokers' network with this role.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-msk-permissions.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-kafka-permissions.html
 */
export function grantKafka(fn: IFunction, source: KafkaSource): readonly Grant[] {
  const { clusterArn, secrets, isInNetwork } = source;
  const asRole = secrets.length === 0 && clusterArn !== undefined ? grantAsRole(fn, { ...source, clusterArn }) : [];
  return [...secrets.flatMap((secret) => grantSecret(fn, secret)), ...asRole, ...(isInNetwork ? grantNetwork(fn) : [])];
}

/** Allows the poller, which reads with the role of the function, to read the credentials of brokers. */
export function grantSecret(fn: IFunction, secret: ISecret): readonly Grant[] {
  const arn = secret.secretFullArn ?? `${secret.secretArn}-??????`;
  grantKey(secret.encryptionKey, fn, 'secret', 'read');
  return [grantOn(fn, ['secretsmanager:GetSecretValue'], [arn])];
}

/** @see https://docs.aws.amazon.com/msk/latest/developerguide/kafka-actions.html */
function grantAsRole(
  fn: IFunction,
  { clusterArn, topic, consumerGroup }: KafkaSource & { readonly clusterArn: string },
): readonly Grant[] {
  const [account, cluster] = [0, 1].map((index) => Fn.select(index, Fn.split(':cluster/', clusterArn)));
  return [
    grantOn(fn, ['kafka-cluster:Connect'], [clusterArn]),
    grantOn(fn, ['kafka-cluster:DescribeTopic', 'kafka-cluster:ReadData'], [`${account}:topic/${cluster}/${topic}`]),
    grantOn(
      fn,
      ['kafka-cluster:AlterGroup', 'kafka-cluster:DescribeGroup'],
      [`${account}:group/${cluster}/${consumerGroup}`],
    ),
  ];
}

/** Allows Lambda to create network interfaces in the subnets of brokers. */
export function grantNetwork(fn: IFunction): readonly Grant[] {
  const stack = Stack.of(fn);
  const any = (resource: string) => stack.formatArn({ service: 'ec2', resource, resourceName: '*' });
  const reason = 'Lambda creates network interfaces for the brokers; their ids are not known in advance';
  const describing = 'ec2:DescribeNetworkInterfaces and its like have no resources: they are granted on * only';
  return [
    grantOnParts(
      fn,
      ['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface'],
      [any('network-interface'), any('subnet'), any('security-group')],
      reason,
    ),
    grantOnParts(
      fn,
      ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSecurityGroups', 'ec2:DescribeSubnets', 'ec2:DescribeVpcs'],
      ['*'],
      describing,
    ),
  ];
}
