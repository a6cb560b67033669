import { BucketAutoDeleteObjects } from 'aws-cdk-lib/aws-s3/mixins';
import { RemovalPolicies, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import { notifierOf } from '../../internal/notifier.js';
import type { ObjectBucket } from '../../storage/object-bucket.js';

/** Removes all resources of a service with its stack, with the objects of its buckets: CloudFormation cannot remove a bucket that has objects. */
export function destroyWithStack(service: Construct, buckets: readonly ObjectBucket[]): void {
  RemovalPolicies.of(service).destroy();
  const notifier: IConstruct | undefined = notifierOf(Stack.of(service));
  if (notifier) RemovalPolicies.of(notifier).destroy();
  for (const { bucket } of buckets) {
    bucket.applyRemovalPolicy(RemovalPolicy.DESTROY);
    new BucketAutoDeleteObjects().applyTo(bucket.node.defaultChild as IConstruct);
  }
}
