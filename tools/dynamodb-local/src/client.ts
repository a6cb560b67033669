import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { dynamodbEndpoint } from './server.js';

/** Credentials that every local server takes; never those of the developer. */
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The real client with a local endpoint: the run's server, or the `endpoint` of a fault proxy. */
export async function createLocalClient(config: DynamoDBClientConfig = {}): Promise<DynamoDBClient> {
  const endpoint = config.endpoint ?? (await dynamodbEndpoint());
  return new DynamoDBClient({ region: 'us-east-1', credentials: CREDENTIALS, ...config, endpoint });
}
