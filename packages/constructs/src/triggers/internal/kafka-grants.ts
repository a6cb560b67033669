import type { Grant } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Fn, Stack } from 'aws-cdk-lib/core';
import { grantOn } from '../../internal/grants.js';
import { grantOnParts } from '../../internal/wildcards.js';

/** Actions on the cluster that every mapping needs, regardless of its authentication. */
export const KAFKA_CLUSTER_ACTIONS: readonly string[] = ['kafka:DescribeClusterV2', 'kafka:GetBootstrapBrokers'];

/** The topic, and the role or secret that reads it. */
export interface KafkaSource {
  readonly clusterArn: string;
  readonly topic: string;
  readonly consumerGroup: string;
  readonly secret: ISecret | undefined;
}

/**
 * Allows the function role to read one topic in one consumer group, and Lambda to reach the cluster's network with this role.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-msk-permissions.html
 */
export function grantKafka(fn: IFunction, source: KafkaSource): readonly Grant[] {
  return [...(source.secret ? [source.secret.grantRead(fn)] : grantAsRole(fn, source)), ...grantNetwork(fn)];
}

/** @see https://docs.aws.amazon.com/msk/latest/developerguide/kafka-actions.html */
function grantAsRole(fn: IFunction, { clusterArn, topic, consumerGroup }: KafkaSource): readonly Grant[] {
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

/** Lambda creates network interfaces in the subnets of the cluster. */
function grantNetwork(fn: IFunction): readonly Grant[] {
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
