import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';

type Value = number | string;
type Row = Map<string, Value>;
type Attributes = Record<string, AttributeValue>;

/** The input of a command of the limiters. */
interface Input {
  readonly Key: Attributes;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Attributes;
}

interface Aliases {
  readonly name: (alias: string) => string;
  readonly value: (alias: string) => Value;
}

type Test = (row: Row, aliases: Aliases) => boolean;
type Change = (row: Row, aliases: Aliases) => void;

/** Called before a request is applied; its error is the response. */
export type Gate = (request: { readonly pk: string; readonly isWrite: boolean }) => void;

/**
 * A DynamoDB table in memory, as a client. It evaluates the expressions that limiters send, each request in one synchronous step.
 * So a test with many thousands of decisions runs the code of the package and the same requests in every run.
 */
export class ModelTable {
  writes = 0;
  reads = 0;
  gate: Gate = () => {};
  readonly #rows = new Map<string, Row>();

  /** This table as the client of a limiter. */
  get client(): DynamoDBClient {
    const middlewareStack = { add() {} };
    return { send: this.#send.bind(this), middlewareStack } as unknown as DynamoDBClient;
  }

  /** The numbers of an item. */
  item(pk: string, sk: string): Record<string, Value> {
    return Object.fromEntries(this.#rows.get(`${pk}\n${sk}`) ?? []);
  }

  /** The partition keys of all items. */
  get keys(): readonly string[] {
    return [...this.#rows.keys()].map((key) => key.slice(0, key.indexOf('\n'))).sort();
  }

  async #send(command: { constructor: { name: string }; input: Input }): Promise<unknown> {
    const { input } = command;
    const { name: operation } = command.constructor;
    const { pk, sk } = input.Key;
    const key = `${pk?.S}\n${sk?.S}`;
    const isWrite = operation !== 'GetItemCommand';
    this.gate({ pk: pk?.S ?? '', isWrite });
    if (!isWrite) {
      this.reads += 1;
      const row = this.#rows.get(key);
      return row ? { Item: toAttributes(row) } : {};
    }
    this.writes += 1;
    const row = this.#rows.get(key);
    const names = input.ExpressionAttributeNames ?? {};
    const values = input.ExpressionAttributeValues ?? {};
    const aliases = {
      name: (alias: string) => names[alias] ?? alias,
      value: (alias: string) => toValue(values[alias]),
    };
    if (input.ConditionExpression && !testOf(input.ConditionExpression)(row ?? new Map(), aliases)) {
      throw Object.assign(new Error('condition'), {
        name: 'ConditionalCheckFailedException',
        $metadata: { httpStatusCode: 400, attempts: 1 },
        ...(row && { Item: toAttributes(row) }),
      });
    }
    if (operation === 'DeleteItemCommand') {
      this.#rows.delete(key);
      return {};
    }
    const changed = row ?? new Map<string, Value>();
    for (const change of changesOf(input.UpdateExpression ?? '')) change(changed, aliases);
    this.#rows.set(key, changed);
    return { Attributes: toAttributes(changed), $metadata: { attempts: 1 } };
  }
}

function toAttributes(row: Row): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of row) attributes[name] = typeof value === 'number' ? { N: String(value) } : { S: value };
  return attributes;
}

function toValue(attribute: AttributeValue | undefined): Value {
  return attribute?.N === undefined ? (attribute?.S ?? '') : Number(attribute.N);
}

/** Limiters send few different expressions: each is read once. */
const tests = new Map<string, Test>();
const changes = new Map<string, readonly Change[]>();

function testOf(expression: string): Test {
  const known = tests.get(expression);
  if (known) return known;
  const tokens = expression.match(/attribute_not_exists\([^)]*\)|[()]|AND|OR|[#:]\w+|<>|<=|=|>/g) ?? [];
  const test = readTest(tokens);
  tests.set(expression, test);
  return test;
}

/** Reads `part (AND part)*` or `part (OR part)*`; mixed expressions are in parentheses. */
function readTest(tokens: string[]): Test {
  const parts = [readPart(tokens)];
  const [operator] = tokens;
  while (tokens[0] === 'AND' || tokens[0] === 'OR') {
    tokens.shift();
    parts.push(readPart(tokens));
  }
  if (operator === 'OR') return (row, aliases) => parts.some((part) => part(row, aliases));
  return (row, aliases) => parts.every((part) => part(row, aliases));
}

function readPart(tokens: string[]): Test {
  const first = tokens.shift() ?? '';
  if (first === '(') {
    const inner = readTest(tokens);
    tokens.shift();
    return inner;
  }
  const absent = /^attribute_not_exists\((.*)\)$/.exec(first)?.[1];
  if (absent !== undefined) return (row, { name }) => !row.has(name(absent));
  const [operator, operand] = [tokens.shift() ?? '', tokens.shift() ?? ''];
  const compare = COMPARISONS[operator];
  if (compare === undefined) throw new Error(`the model does not know ${operator}`);
  return (row, { name, value }) => {
    const stored = row.get(name(first));
    return stored !== undefined && compare(stored, value(operand));
  };
}

const COMPARISONS: Readonly<Record<string, (left: Value, right: Value) => boolean>> = {
  '=': (left, right) => left === right,
  '<>': (left, right) => left !== right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
};

function changesOf(expression: string): readonly Change[] {
  const known = changes.get(expression);
  if (known) return known;
  const read = expression.split(/ ?\b(?=SET|ADD|REMOVE)/).flatMap((clause) => {
    const [verb = ''] = clause.split(' ', 1);
    return clause
      .slice(verb.length + 1)
      .split(/, (?=#)/)
      .map((part) => readChange(verb, part.trim()));
  });
  changes.set(expression, read);
  return read;
}

function readChange(verb: string, part: string): Change {
  const [target = '', , last = ''] = verb === 'SET' ? part.split(' ') : [part.split(' ')[0], '', part.split(' ')[1]];
  if (verb === 'REMOVE') return (row, { name }) => void row.delete(name(target));
  if (verb === 'ADD') {
    return (row, { name, value }) => {
      row.set(name(target), Number(row.get(name(target)) ?? 0) + Number(value(last)));
    };
  }
  const fallback = /if_not_exists\(\S+, (:\w+)\)$/.exec(part)?.[1];
  if (fallback === undefined) return (row, { name, value }) => void row.set(name(target), value(last));
  return (row, { name, value }) => {
    if (!row.has(name(target))) row.set(name(target), value(fallback));
  };
}
