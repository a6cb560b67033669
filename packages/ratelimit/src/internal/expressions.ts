import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { createMap } from '@sallyport/core';
import { RATE_LIMIT_TABLE_SCHEMA } from '../schema.js';
import type { Check, ConditionalWrite, Counters } from './counter-store.js';

const { ttlAttribute } = RATE_LIMIT_TABLE_SCHEMA;

type Expressions = Pick<
  UpdateItemCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** Every name is an alias: `ttl` and counters like `section` are reserved words of DynamoDB. */
class Aliases {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, AttributeValue> = {};
  readonly #nameOf = new Map<string, string>();
  readonly #valueOf = new Map<number, string>();

  name(attribute: string): string {
    const alias = this.#nameOf.get(attribute) ?? `#${this.#nameOf.size.toString(36)}`;
    this.#nameOf.set(attribute, alias);
    this.names[alias] = attribute;
    return alias;
  }

  value(number: number): string {
    const alias = this.#valueOf.get(number) ?? `:${this.#valueOf.size.toString(36)}`;
    this.#valueOf.set(number, alias);
    this.values[alias] = { N: String(number) };
    return alias;
  }
}

/** The expressions of one `UpdateItem`. */
export function toExpressions(write: ConditionalWrite): Expressions {
  const aliases = new Aliases();
  const conditions = write.checks.map((check) => conditionOf(check, aliases));
  const clauses = [
    clause('SET', assignments(write, aliases)),
    clause(
      'ADD',
      write.adds.map(({ counter, value }) => `${aliases.name(counter)} ${aliases.value(value)}`),
    ),
    clause(
      'REMOVE',
      write.removes.map((counter) => aliases.name(counter)),
    ),
  ];
  return {
    UpdateExpression: clauses.filter((text) => text !== '').join(' '),
    ...(conditions.length > 0 && { ConditionExpression: conditions.join(' AND ') }),
    ExpressionAttributeNames: aliases.names,
    ...(Object.keys(aliases.values).length > 0 && { ExpressionAttributeValues: aliases.values }),
  };
}

function conditionOf({ counter, above, max }: Check, aliases: Aliases): string {
  const name = aliases.name(counter);
  if (above === undefined) return `(attribute_not_exists(${name}) OR ${name} <= ${aliases.value(max)})`;
  return `(${name} > ${aliases.value(above)} AND ${name} <= ${aliases.value(max)})`;
}

function assignments({ sets, expiresAt, keepsExpiry }: ConditionalWrite, aliases: Aliases): string[] {
  const texts = sets.map(({ counter, value }) => `${aliases.name(counter)} = ${aliases.value(value)}`);
  if (expiresAt === undefined) return texts;
  const [ttl, expiry] = [aliases.name(ttlAttribute), aliases.value(expiresAt)];
  return [...texts, `${ttl} = ${keepsExpiry ? `if_not_exists(${ttl}, ${expiry})` : expiry}`];
}

function clause(keyword: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : `${keyword} ${parts.join(', ')}`;
}

/** The counters of an item: its numbers, but for the expiry. */
export function toCounters(item: Record<string, AttributeValue> | undefined): Counters {
  const counters = createMap<number>();
  for (const [name, value] of Object.entries(item ?? {})) {
    if (value.N !== undefined && name !== ttlAttribute) counters[name] = Number(value.N);
  }
  return counters;
}
