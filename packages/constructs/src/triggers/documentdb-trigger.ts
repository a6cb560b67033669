import {
  type CfnEventSourceMapping,
  type EventSourceMapping,
  type IFunction,
  SourceAccessConfigurationType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { makeMapping } from '../internal/event-source.js';
import { count, defineProps, flag, literal, many, thing, time, words } from '../internal/props.js';
import { claimSource } from '../internal/targets.js';
import { grantOnParts } from '../internal/wildcards.js';
import { grantNetwork, grantSecret } from './internal/kafka-grants.js';
import { checkPolledTimeout } from './internal/pollers.js';

/** Props of the mapping between a change stream and its function. */
export interface DocumentDbMappingProps {
  /** The ARN of the cluster: an instance-based, regional cluster of version 4.0 or 5.0. */
  readonly clusterArn: string;
  /** The secret with `username` and `password` of a user that may read the change stream. */
  readonly secret: ISecret;
  /**
   * True if events of updates contain the whole document.
   *
   * @default false
   */
  readonly fullDocument?: boolean;
  /**
   * The position at which a new mapping starts to read.
   *
   * @default StartingPosition.TRIM_HORIZON
   */
  readonly startingPosition?: StartingPosition;
  /**
   * The maximum number of changes in a batch, 1 to 10,000.
   *
   * @default 100
   */
  readonly batchSize?: number;
  /**
   * The time for which AWS waits for a batch to fill up, at most 5 min.
   *
   * @default Duration.seconds(1)
   */
  readonly maxBatchingWindow?: Duration;
  /**
   * Filter patterns: only matching changes reach the function. See `FilterCriteria` of the CDK.
   *
   * @default - all changes
   */
  readonly filters?: readonly Record<string, unknown>[];
  /**
   * True if the trigger invokes an alias that no other trigger has.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** Props of {@link DocumentDbTrigger}. */
export interface DocumentDbTriggerProps extends DocumentDbMappingProps {
  /** The function. Its timeout must be at most 14 min. */
  readonly fn: IFunction;
  /** The database. */
  readonly database: string;
  /**
   * The collection.
   *
   * @default - all collections of the database
   */
  readonly collection?: string;
}

/** Validators and defaults for {@link DocumentDbTriggerProps}. */
export const DOCUMENT_DB_TRIGGER_PROPS = defineProps<DocumentDbTriggerProps>('DocumentDbTrigger')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  clusterArn: words('the ARN of a cluster of DocumentDB', /^arn:[^:]+:rds:[^:]+:\d{12}:cluster:[^:]+$/).required(),
  database: words('the name of a database, at most 63 characters', /^[^ /.$\x22*<>:|?]{1,63}$/).required(),
  collection: words('the name of a collection, at most 57 characters', /^(?!system\.)[a-zA-Z_][^$]{0,56}$/),
  secret: thing<ISecret>('a secret', 'secretArn').required(),
  fullDocument: flag.default(false),
  startingPosition: literal<StartingPosition>(
    'TRIM_HORIZON or LATEST',
    (value) => value === StartingPosition.TRIM_HORIZON || value === StartingPosition.LATEST,
  ).default(StartingPosition.TRIM_HORIZON),
  batchSize: count(1, 10_000).default(100),
  maxBatchingWindow: time(0, 300).default(Duration.seconds(1)),
  filters: many<Record<string, unknown>>('a list of filters', (one) => typeof one === 'object' && one !== null),
  ownAlias: flag.default(false),
});

/**
 * Invokes a function with the changes of a database or collection, for `documentDb()` of `@sallyport/triggers`. The mapping delivers changes in order and has
 * no destination: Lambda retries a failed batch until it succeeds or the change stream expires.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-documentdb.html
 * @example new DocumentDbTrigger(this, 'Orders', { fn, clusterArn, secret, database: 'shop', collection: 'orders' });
 */
export class DocumentDbTrigger extends Construct {
  /** The event source mapping. */
  readonly mapping: EventSourceMapping;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop or a timeout above 14 min; `constructs.conflict` for a second trigger of one collection
   */
  constructor(scope: Construct, id: string, props: DocumentDbTriggerProps) {
    super(scope, id);
    const { fn, clusterArn, database, collection, secret, fullDocument, filters, ownAlias, ...rest } =
      DOCUMENT_DB_TRIGGER_PROPS.parse(this, props);
    checkPolledTimeout(this, fn, 'DocumentDB');
    claimSource(this, fn, `${clusterArn} ${database}.${collection ?? '*'}`, 'change stream');
    const granted = [...grantSecret(fn, secret), ...grantNetwork(fn), ...grantDescriptions(fn)];
    this.mapping = makeMapping(
      this,
      { fn, ownAlias, actions: ['rds:DescribeDBClusters'], reportsFailures: false },
      {
        eventSourceArn: clusterArn,
        startingPosition: rest.startingPosition,
        batchSize: rest.batchSize,
        maxBatchingWindow: rest.maxBatchingWindow,
        sourceAccessConfigurations: [{ type: SourceAccessConfigurationType.BASIC_AUTH, uri: secret.secretArn }],
        ...(filters && { filters: [...filters] }),
      },
    );
    (this.mapping.node.defaultChild as CfnEventSourceMapping).documentDbEventSourceConfig = {
      databaseName: database,
      ...(collection !== undefined && { collectionName: collection }),
      fullDocument: fullDocument ? 'UpdateLookup' : 'Default',
    };
    const reason = 'A mapping of a change stream has no destination: Lambda retries a failed batch.';
    acknowledge(this.mapping, 'Serverless::Serverless-LambdaEventSourceMappingDestination', reason);
    for (const grant of granted) grant.applyBefore(this.mapping);
  }
}

/** Lambda reads the settings of the cluster; their names are not in the ARN of the cluster. */
function grantDescriptions(fn: IFunction) {
  const all = (resource: string) => Stack.of(fn).formatArn({ service: 'rds', resource: `${resource}:*` });
  const reason = 'Lambda reads the parameters and the subnets of the cluster, whose names are not known here';
  return [
    grantOnParts(
      fn,
      ['rds:DescribeDBClusterParameters', 'rds:DescribeDBSubnetGroups'],
      [all('cluster-pg'), all('subgrp')],
      reason,
    ),
  ];
}
