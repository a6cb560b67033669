import { isObject, membersOf } from '@sallyport/core/internal';
import type { JsonSchema, Schemas } from '../../contract.js';
import { canonicalText } from '../../internal/canonical.js';
import { type Level, type SchemaChange, shown } from '../finding.js';
import { fitsKind, requiredOf, type Shape, shapesOf } from './shapes.js';

/** A schema with the named schemas of its contract; `undefined` is a place that has no schema. */
export interface Placed {
  readonly schema: unknown;
  readonly schemas: Schemas;
}

/**
 * The reasons why a value that fits the schema of its sender can be rejected by its receiver, by JSON Schema subtyping. Empty if each value fits.
 *
 * @param isOutput true if the receivers are callers: a new value of an enumeration then warns, and so does a lost optional member
 */
export function rejections(sent: Placed, received: Placed, path: string, isOutput: boolean): readonly SchemaChange[] {
  return new Comparison(sent.schemas, received.schemas, isOutput).compare(sent.schema, received.schema, path);
}

class Comparison {
  readonly #sentSchemas: Schemas;
  readonly #receivedSchemas: Schemas;
  readonly #isOutput: boolean;
  /** Pairs that are compared now, because schemas can refer to themselves. */
  readonly #open = new Set<string>();

  constructor(sentSchemas: Schemas, receivedSchemas: Schemas, isOutput: boolean) {
    this.#sentSchemas = sentSchemas;
    this.#receivedSchemas = receivedSchemas;
    this.#isOutput = isOutput;
  }

  compare(sent: unknown, received: unknown, path: string): readonly SchemaChange[] {
    const key = `${canonicalText(sent)} ${canonicalText(received)}`;
    if (this.#open.has(key)) return [];
    this.#open.add(key);
    const changes = this.#shapes(shapesOf(sent, this.#sentSchemas), shapesOf(received, this.#receivedSchemas), path);
    this.#open.delete(key);
    return changes;
  }

  #shapes(sent: readonly Shape[], received: readonly Shape[], path: string): readonly SchemaChange[] {
    if (received.some(({ kind }) => kind === 'any')) return [];
    if (received.some(({ kind }) => kind === 'unknown') || sent.some(({ kind }) => kind === 'unknown')) {
      const isSame = received.some(({ kind }) => kind === 'unknown') && sent.some(({ kind }) => kind === 'unknown');
      return isSame ? [] : [change('warns', path, 'unknown', describeShapes(sent), describeShapes(received))];
    }
    return joinedEnum(sent.flatMap((shape) => this.#shape(shape, received, path)));
  }

  /** The changes of the alternative of the receiver that fits best. */
  #shape(sent: Shape, received: readonly Shape[], path: string): readonly SchemaChange[] {
    const related = received.filter((one) => isRelated(sent, one));
    const results = related.map((one) => this.#pair(sent, one, path));
    const best = results.find((changes) => changes.length === 0) ?? results.sort((a, b) => weight(a) - weight(b))[0];
    if (best) return best;
    const isValue = sent.kind === 'value' && received.some(({ kind }) => kind === 'value');
    const level = isValue && this.#isOutput ? 'warns' : 'breaks';
    const rule = isValue ? 'enum' : received.length > 1 ? 'union' : 'type';
    return [change(level, path, rule, describeShapes([sent]), describeShapes(received))];
  }

  #pair(sent: Shape, received: Shape, path: string): readonly SchemaChange[] {
    if (sent.kind === 'value') {
      if (fitsKind(sent.value, received))
        return isObject(sent.value) || Array.isArray(sent.value) ? unclear(sent, received, path) : [];
      return [change('breaks', path, 'type', shown(sent.value), describeShapes([received]))];
    }
    const rules = [
      ...unclear(sent, received, path),
      ...boundChanges(sent.schema, received.schema, path, this.#isOutput),
    ];
    if (sent.kind === 'object') return [...rules, ...this.#members(sent.schema, received.schema, path)];
    return sent.kind === 'array' ? [...rules, ...this.#items(sent.schema, received.schema, path)] : rules;
  }

  #members(sent: JsonSchema, received: JsonSchema, path: string): readonly SchemaChange[] {
    const [from, to] = [membersOf(sent.properties), membersOf(received.properties)];
    const at = (name: string) => (path === '' ? name : `${path}.${name}`);
    const needed = requiredOf(sent);
    const changes = requiredOf(received)
      .filter((name) => !needed.includes(name))
      .map((name) => {
        const rule = Object.hasOwn(from, name) ? 'required' : 'required-added';
        const side = rule === 'required' ? 'optional' : 'absent';
        return change('breaks', at(name), this.#isOutput && rule !== 'required' ? 'removed' : rule, side, 'required');
      });
    const rest = received.additionalProperties;
    for (const [name, schema] of Object.entries(from)) {
      const target = Object.hasOwn(to, name) ? to[name] : (rest ?? true);
      if (target === false) changes.push(change('breaks', at(name), 'closed', 'present', 'not allowed'));
      else changes.push(...this.compare(schema, target, at(name)));
    }
    const isOpen = sent.additionalProperties !== false;
    if (rest === false && isOpen && !this.#isOutput) {
      changes.push(change('breaks', path, 'closed', 'accepts other members', 'rejects other members'));
    } else if (isObject(rest) && isOpen) {
      changes.push(...this.compare(sent.additionalProperties ?? true, rest, at('*')));
    }
    if (!this.#isOutput) return changes;
    const lost = Object.keys(to).filter((name) => !Object.hasOwn(from, name) && !requiredOf(received).includes(name));
    return [...changes, ...lost.map((name) => change('warns', at(name), 'removed', 'absent', 'optional'))];
  }

  #items(sent: JsonSchema, received: JsonSchema, path: string): readonly SchemaChange[] {
    const places = (schema: JsonSchema) => (Array.isArray(schema.prefixItems) ? (schema.prefixItems as unknown[]) : []);
    const [from, to] = [places(sent), places(received)];
    const count = Math.max(from.length, to.length);
    const each = Array.from({ length: count }, (_, index) =>
      this.compare(from[index] ?? sent.items ?? true, to[index] ?? received.items ?? true, `${path}[${index}]`),
    );
    return [...each.flat(), ...this.compare(sent.items ?? true, received.items ?? true, `${path}[]`)];
  }
}

function change(level: Level, path: string, rule: string, sent: string, received: string): SchemaChange {
  return { level, path, change: rule, sent, received };
}

const weight = (changes: readonly SchemaChange[]) =>
  changes.reduce((sum, { level, change: rule }) => sum + (level === 'breaks' ? 10 : 1) + (rule === 'type' ? 10 : 0), 0);

/** Alternatives that are compared member by member. */
function isRelated(sent: Shape, received: Shape): boolean {
  if (sent.kind === 'value')
    return fitsKind(sent.value, received) || (received.kind !== 'value' && isSameKind(sent, received));
  return received.kind === sent.kind || (received.kind === 'number' && sent.kind === 'integer');
}

const isSameKind = (sent: Shape, received: Shape) => fitsKind(sent.value, { kind: received.kind, schema: {} });

/** One change for all values of an enumeration that were added or removed. */
function joinedEnum(changes: readonly SchemaChange[]): readonly SchemaChange[] {
  const enums = changes.filter(({ change: rule }) => rule === 'enum');
  if (enums.length < 2) return changes;
  const [first] = enums as [SchemaChange];
  const values = enums.map(({ sent }) => sent).join(', ');
  return [...changes.filter((one) => !enums.includes(one)), { ...first, sent: values }];
}

const describeShapes = (shapes: readonly Shape[]) =>
  shapes.map(({ kind, value }) => (kind === 'value' ? shown(value) : kind)).join(' | ') || 'never';

/** Keywords whose effect on samples cannot be derived: they are equal, or the comparison is open. */
const OPAQUE = [
  ...['not', 'if', 'then', 'else', 'contains', 'minContains', 'maxContains', 'patternProperties', 'propertyNames'],
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
];

function unclear(sent: Shape, received: Shape, path: string): readonly SchemaChange[] {
  const changed = OPAQUE.filter(
    (key) =>
      received.schema[key] !== undefined &&
      canonicalText(received.schema[key]) !== canonicalText(sent.schema[key] ?? null),
  );
  return changed.map((key) => change('warns', path, key, shown(sent.schema[key]), shown(received.schema[key])));
}

/** Least and most values, patterns, formats and other rules of one type. */
function boundChanges(
  sent: JsonSchema,
  received: JsonSchema,
  path: string,
  isOutput: boolean,
): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  const report = (rule: string, level: Level = 'breaks') =>
    changes.push(change(level, path, rule, shown(sent[rule]), shown(received[rule])));
  const numberOf = (schema: JsonSchema, name: string) => (typeof schema[name] === 'number' ? schema[name] : undefined);
  for (const rule of ['minLength', 'minItems', 'minProperties']) {
    if ((numberOf(sent, rule) ?? 0) < (numberOf(received, rule) ?? 0)) report(rule);
  }
  for (const rule of ['maxLength', 'maxItems', 'maxProperties']) {
    const most = numberOf(received, rule);
    if (most !== undefined && (numberOf(sent, rule) ?? Number.POSITIVE_INFINITY) > most) report(rule);
  }
  if (isBelow(sent, received)) report('exclusiveMinimum' in received ? 'exclusiveMinimum' : 'minimum');
  if (isAbove(sent, received)) report('exclusiveMaximum' in received ? 'exclusiveMaximum' : 'maximum');
  const step = numberOf(received, 'multipleOf');
  if (step !== undefined && !Number.isInteger((numberOf(sent, 'multipleOf') ?? Number.NaN) / step)) {
    const isWhole = step === 1 && sent.type === 'integer';
    if (!isWhole) report('multipleOf');
  }
  if (received.pattern !== undefined && received.pattern !== sent.pattern) report('pattern');
  if (received.uniqueItems === true && sent.uniqueItems !== true) report('uniqueItems');
  // Types of callers do not depend on formats.
  for (const rule of ['format', 'contentEncoding', 'contentMediaType']) {
    if (received[rule] !== undefined && received[rule] !== sent[rule]) report(rule, isOutput ? 'warns' : 'breaks');
  }
  return changes;
}

/** The least values of a schema: the value, and if the value itself is excluded. */
function leastOf({ minimum, exclusiveMinimum }: JsonSchema): readonly [value: number, isExcluded: boolean] {
  const plain = typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY;
  const excluded = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : Number.NEGATIVE_INFINITY;
  return excluded >= plain && excluded !== Number.NEGATIVE_INFINITY ? [excluded, true] : [plain, false];
}

function isBelow(sent: JsonSchema, received: JsonSchema): boolean {
  const [from, isFromExcluded] = leastOf(sent);
  const [to, isToExcluded] = leastOf(received);
  return from < to || (from === to && isToExcluded && !isFromExcluded);
}

const negated = (value: unknown) => (typeof value === 'number' ? -value : undefined);
const mirrored = ({ maximum, exclusiveMaximum }: JsonSchema) => ({
  minimum: negated(maximum),
  exclusiveMinimum: negated(exclusiveMaximum),
});
const isAbove = (sent: JsonSchema, received: JsonSchema) => isBelow(mirrored(sent), mirrored(received));
