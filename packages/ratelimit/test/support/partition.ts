import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { WallClock } from './dynamo.js';

/** A client whose table accepts `writesPerSecond` for each partition key, by the clock of the test, and throttles other writes. */
export function throttledByPartition(client: DynamoDBClient, clock: WallClock, writesPerSecond: number) {
  const written = new Map<string, number>();
  const send = async (command: { input: { Key?: { pk?: { S?: string } } } }, ...rest: unknown[]) => {
    const slot = `${command.input.Key?.pk?.S}@${Math.floor(clock.ms / 1000)}`;
    const count = (written.get(slot) ?? 0) + 1;
    written.set(slot, count);
    if (count > writesPerSecond) {
      throw Object.assign(new Error('throttled'), { name: 'ProvisionedThroughputExceededException' });
    }
    return (client.send as (...args: unknown[]) => unknown)(command, ...rest);
  };
  return { client: { send } as unknown as DynamoDBClient, written };
}
