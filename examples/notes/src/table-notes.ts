import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import type { Note, NoteInput, NoteStore } from './notes.js';

type Item = Record<string, AttributeValue>;

const options = () => ({ abortSignal: AbortSignal.timeout(5_000) });

/** The partition of all notes: a partition takes 1,000 writes a second, and a list is a query. */
const LIST = { list: { S: 'notes' } };

/** Notes in a table with the partition key `list` and the sort key `id`, which all instances share. */
export class TableNotes implements NoteStore {
  readonly #TableName: string;
  readonly #client: DynamoDBClient;

  constructor(tableName: string, client = new DynamoDBClient({ maxAttempts: 3 })) {
    this.#TableName = tableName;
    this.#client = client;
  }

  add(input: NoteInput, authorId: string): Promise<Note> {
    return this.put(randomUUID(), input, authorId);
  }

  async put(id: string, { title, text }: NoteInput, authorId: string): Promise<Note> {
    const Item = { ...LIST, id: { S: id }, title: { S: title }, text: { S: text }, authorId: { S: authorId } };
    await this.#client.send(new PutItemCommand({ TableName: this.#TableName, Item }), options());
    return { id, title, text, authorId };
  }

  async get(id: string): Promise<Note | undefined> {
    const input = { TableName: this.#TableName, Key: { ...LIST, id: { S: id } }, ConsistentRead: true };
    const { Item } = await this.#client.send(new GetItemCommand(input), options());
    return Item && toNote(Item);
  }

  /** Reads notes in the order of their ids, in pages of at most 1 MB, until `limit` notes are read. */
  async list(limit: number): Promise<Note[]> {
    const notes: Note[] = [];
    let start: Item | undefined;
    do {
      const input = {
        TableName: this.#TableName,
        KeyConditionExpression: '#list = :list',
        ExpressionAttributeNames: { '#list': 'list' },
        ExpressionAttributeValues: { ':list': LIST.list },
        Limit: limit - notes.length,
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      };
      const { Items = [], LastEvaluatedKey } = await this.#client.send(new QueryCommand(input), options());
      notes.push(...Items.map(toNote));
      start = LastEvaluatedKey;
    } while (start && notes.length < limit);
    return notes;
  }

  async remove(id: string): Promise<boolean> {
    const input = { TableName: this.#TableName, Key: { ...LIST, id: { S: id } }, ReturnValues: 'ALL_OLD' } as const;
    const { Attributes } = await this.#client.send(new DeleteItemCommand(input), options());
    return Attributes !== undefined;
  }
}

function toNote({ id, title, text, authorId }: Item): Note {
  return { id: id?.S ?? '', title: title?.S ?? '', text: text?.S ?? '', authorId: authorId?.S ?? '' };
}
