import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The module of the AWS SDK, which is loaded when it is first needed. */
export type Sdk = typeof import('@aws-sdk/client-dynamodb');

/** The part of the AWS client that is used, so that a caller can hand in a client that is wrapped or shared. */
export type Client = Pick<DynamoDBClient, 'send'>;
