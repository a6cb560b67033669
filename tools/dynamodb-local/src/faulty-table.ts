import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient } from './client.js';
import { type FaultProxy, startFaultProxy } from './fault-proxy.js';
import { retryAtOnce } from './retry-at-once.js';
import { dynamodbEndpoint } from './server.js';
import { createTable, type TableSchema } from './table.js';

/** A table behind a proxy that makes its requests fail on demand. */
export class FaultyTable {
  readonly name: string;
  readonly proxy: FaultProxy;
  /** Client without the proxy. */
  readonly direct: DynamoDBClient;
  #client: DynamoDBClient;

  private constructor(name: string, proxy: FaultProxy, direct: DynamoDBClient, client: DynamoDBClient) {
    this.name = name;
    this.proxy = proxy;
    this.direct = direct;
    this.#client = client;
  }

  /** Starts the proxy and makes the table; for `beforeAll`, with 60 s. */
  static async start(schema: TableSchema): Promise<FaultyTable> {
    const proxy = await startFaultProxy(await dynamodbEndpoint());
    const direct = await createLocalClient();
    return new FaultyTable(await createTable(direct, schema), proxy, direct, await connect(proxy));
  }

  /** Client through the proxy, with at most three attempts, without waits. */
  get client(): DynamoDBClient {
    return this.#client;
  }

  /** Removes the faults and makes a new client, without the middleware of the last test; for `beforeEach`. */
  async renew(): Promise<void> {
    this.proxy.clear();
    this.#client.destroy();
    this.#client = await connect(this.proxy);
  }

  /** For `afterAll`. */
  async stop(): Promise<void> {
    this.#client.destroy();
    this.direct.destroy();
    await this.proxy.stop();
  }
}

function connect(proxy: FaultProxy): Promise<DynamoDBClient> {
  return createLocalClient({ endpoint: proxy.endpoint, retryStrategy: retryAtOnce(2) });
}
