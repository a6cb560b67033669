import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type Changes,
  type Condition,
  EARLIER_WRITER_ATTRIBUTES,
  type ItemQuery,
  type Value,
  WRITER_ATTRIBUTE,
} from '../item-table.js';
import { toAttribute } from '../items.js';

/** The value for a write without an id, because an attribute cannot be set to an absent value. */
const NO_WRITER = '-';

type Names = Record<string, string>;
type Values = Record<string, AttributeValue>;

/** Builds the expressions of one request. Every name has an alias, because `status`, `ttl` and many others are reserved words. */
export class Expressions {
  readonly #nameOf = new Map<string, string>();
  readonly #valueOf = new Map<Value, string>();

  /** The alias of an attribute, the same at each call. */
  name(attribute: string): string {
    const alias = this.#nameOf.get(attribute) ?? `#${this.#nameOf.size.toString(36)}`;
    this.#nameOf.set(attribute, alias);
    return alias;
  }

  /** The alias of a value; equal strings, numbers and booleans share one. */
  value(value: Value): string {
    const alias = this.#valueOf.get(value) ?? `:${this.#valueOf.size.toString(36)}`;
    this.#valueOf.set(value, alias);
    return alias;
  }

  /** A `ConditionExpression`. */
  condition(condition: Condition): string {
    if ('all' in condition) return this.#joined(condition.all, ' AND ');
    if ('any' in condition) return this.#joined(condition.any, ' OR ');
    if ('absent' in condition) return `attribute_not_exists(${this.name(condition.absent)})`;
    if ('present' in condition) return `attribute_exists(${this.name(condition.present)})`;
    const name = this.name(condition.attribute);
    if ('isOneOf' in condition) return `${name} IN (${condition.isOneOf.map((value) => this.value(value)).join(', ')})`;
    return `${name} ${condition.is} ${this.value(condition.value)}`;
  }

  /** DynamoDB rejects redundant parentheses, which one part in two lists would have. */
  #joined(parts: readonly Condition[], operator: string): string {
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return this.condition(only);
    return parts.map((part) => `(${this.condition(part)})`).join(operator);
  }

  /** A `KeyConditionExpression`. */
  keys({ partition, sort }: Pick<ItemQuery, 'partition' | 'sort'>): string {
    const whole = `${this.name(partition.name)} = ${this.value(partition.value)}`;
    if (sort === undefined) return whole;
    const name = this.name(sort.name);
    if ('after' in sort) return `${whole} AND ${name} > ${this.value(sort.after)}`;
    return `${whole} AND ${name} BETWEEN ${this.value(sort.from)} AND ${this.value(sort.to)}`;
  }

  /** An `UpdateExpression`. With `history` the ids of earlier writes move by one position. */
  changes({ set, setIfAbsent, add, count, copy, remove = [] }: Changes, history = false): string {
    const writers = [WRITER_ATTRIBUTE, ...EARLIER_WRITER_ATTRIBUTES];
    const assignments = [
      ...(history ? EARLIER_WRITER_ATTRIBUTES : []).map((name, place) => {
        return `${this.name(name)} = if_not_exists(${this.name(writers[place] ?? name)}, ${this.value(NO_WRITER)})`;
      }),
      ...defined(set).map(([name, value]) => `${this.name(name)} = ${this.value(value)}`),
      ...defined(setIfAbsent).map(([name, value]) => {
        const alias = this.name(name);
        return `${alias} = if_not_exists(${alias}, ${this.value(value)})`;
      }),
      ...Object.entries(count ?? {}).map(([name, { from, by }]) => {
        const alias = this.name(name);
        return `${alias} = if_not_exists(${alias}, ${this.value(from)}) + ${this.value(by)}`;
      }),
      ...Object.entries(copy ?? {}).map(
        ([name, { map, entry }]) => `${this.name(name)} = ${this.name(map)}.${this.name(entry)}`,
      ),
    ];
    const added = Object.entries(add ?? {}).map(([name, value]) => `${this.name(name)} ${this.value(value)}`);
    const removed = remove.map((name) => this.name(name));
    return [clause('SET', assignments), clause('ADD', added), clause('REMOVE', removed)]
      .filter((text) => text !== '')
      .join(' ');
  }

  /** Names and values that were used so far. */
  aliases(): { ExpressionAttributeNames?: Names; ExpressionAttributeValues?: Values } {
    const names = Object.fromEntries([...this.#nameOf].map(([attribute, alias]) => [alias, attribute]));
    const values = Object.fromEntries([...this.#valueOf].map(([value, alias]) => [alias, toAttribute(value)]));
    return {
      ...(this.#nameOf.size > 0 && { ExpressionAttributeNames: names }),
      ...(this.#valueOf.size > 0 && { ExpressionAttributeValues: values }),
    };
  }
}

function clause(keyword: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : `${keyword} ${parts.join(', ')}`;
}

function defined(item: Changes['set']): [string, Value][] {
  return Object.entries(item ?? {}).filter((entry): entry is [string, Value] => entry[1] !== undefined);
}
