import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Changes, Condition, Value } from './item-store.js';
import { toAttribute } from './marshal.js';

type Names = Record<string, string>;
type Values = Record<string, AttributeValue>;

/** Builds the expressions of one request. Every name is an alias: `status`, `ttl` and `token` are reserved words. */
export class Expressions {
  readonly #nameOf = new Map<string, string>();
  readonly #values: AttributeValue[] = [];

  name(attribute: string): string {
    const alias = this.#nameOf.get(attribute) ?? `#${this.#nameOf.size.toString(36)}`;
    this.#nameOf.set(attribute, alias);
    return alias;
  }

  value(value: Value): string {
    this.#values.push(toAttribute(value));
    return `:${(this.#values.length - 1).toString(36)}`;
  }

  condition(condition: Condition): string {
    if ('all' in condition) return condition.all.map((part) => `(${this.condition(part)})`).join(' AND ');
    if ('any' in condition) return condition.any.map((part) => `(${this.condition(part)})`).join(' OR ');
    if ('absent' in condition) return `attribute_not_exists(${this.name(condition.absent)})`;
    if ('present' in condition) return `attribute_exists(${this.name(condition.present)})`;
    const name = this.name(condition.attribute);
    if ('isOneOf' in condition) return `${name} IN (${condition.isOneOf.map((value) => this.value(value)).join(', ')})`;
    return `${name} ${condition.is} ${this.value(condition.value)}`;
  }

  changes({ set, setIfAbsent, count, copy, remove = [] }: Changes): string {
    const assignments = [
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
    const removed = remove.map((name) => this.name(name));
    return [
      assignments.length > 0 ? `SET ${assignments.join(', ')}` : '',
      removed.length > 0 ? `REMOVE ${removed.join(', ')}` : '',
    ]
      .join(' ')
      .trim();
  }

  /** Names and values that were used so far. */
  aliases(): { ExpressionAttributeNames?: Names; ExpressionAttributeValues?: Values } {
    const names = Object.fromEntries([...this.#nameOf].map(([attribute, alias]) => [alias, attribute]));
    const values = Object.fromEntries(this.#values.map((value, index) => [`:${index.toString(36)}`, value]));
    return {
      ...(this.#nameOf.size > 0 && { ExpressionAttributeNames: names }),
      ...(this.#values.length > 0 && { ExpressionAttributeValues: values }),
    };
  }
}

function defined(item: Changes['set']): [string, Value][] {
  return Object.entries(item ?? {}).filter((entry): entry is [string, Value] => entry[1] !== undefined);
}
