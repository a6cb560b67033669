import { DeleteItemCommand, DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

// Configured only by the variables of the run.
const dynamo = new DynamoDBClient({});
const TableName = process.env.TABLE;

interface Event {
  readonly put?: { readonly id: string; readonly state: string; readonly token?: string };
  readonly update?: { readonly id: string; readonly state: string };
  readonly remove?: string;
  readonly password?: string;
}

/** Writes the items of its event: a handler without a framework, for the console's views of writes and of hidden values. */
export const handler = async ({ put, update, remove, password }: Event) => {
  if (put !== undefined) {
    const { id, state, token = '' } = put;
    await dynamo.send(
      new PutItemCommand({ TableName, Item: { id: { S: id }, state: { S: state }, token: { S: token } } }),
    );
  }
  if (update !== undefined) {
    await dynamo.send(
      new UpdateItemCommand({
        TableName,
        Key: { id: { S: update.id } },
        UpdateExpression: 'SET #state = :state',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':state': { S: update.state } },
      }),
    );
  }
  if (remove !== undefined) await dynamo.send(new DeleteItemCommand({ TableName, Key: { id: { S: remove } } }));
  if (password !== undefined) console.log(`password=${password}`);
  return { done: true };
};
