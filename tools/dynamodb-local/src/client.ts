import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { dynamodbEndpoint } from './server.js';

/** Credentials that every local server accepts; never the developer's credentials. */
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The real client with a local endpoint: the run's server, or the `endpoint` of a fault proxy. */
export async function createLocalClient(config: DynamoDBClientConfig = {}): Promise<DynamoDBClient> {
  const endpoint = config.endpoint ?? (await dynamodbEndpoint());
  const client = new DynamoDBClient({ region: 'us-east-1', credentials: CREDENTIALS, ...config, endpoint });
  adoptNetworkErrors(client);
  return client;
}

/**
 * Jest runs tests in a separate context, where Node's errors are not instances of `Error`. The SDK would not recognize a reset
 * connection as an error: it would not retry the request, and would lose the code.
 */
export function adoptNetworkErrors(client: { readonly middlewareStack: object }): void {
  // Every client of the SDK has this stack; its type differs from service to service.
  (client as Pick<DynamoDBClient, 'middlewareStack'>).middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw error instanceof Error ? error : adopt(error as NodeJS.ErrnoException);
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'adoptNetworkErrors' },
  );
}

function adopt({ message, name, code, stack }: NodeJS.ErrnoException): Error {
  const error = Object.assign(new Error(message), { name, code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
