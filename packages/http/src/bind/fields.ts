import { assertKnownOptions, invalidOption } from '@sallyport/core';
import { badRule, parseRule, type RequiredRule, type Rule, required } from './rules.js';

/** `duration` is `1h30m`, `250ms` or ISO 8601 `PT1H30M`, and becomes milliseconds. */
export type FieldType = 'string' | 'int' | 'float' | 'bool' | 'duration';

/** One field of a source. */
export interface FieldSpec {
  /** What the value is converted to. */
  readonly type: FieldType;
  /** The name on the wire where it is not the field's. */
  readonly name?: string;
  /** A list; in a query or a header each value is an entry. */
  readonly array?: boolean;
  /** What the value must fulfil, checked in this order. Default: nothing. */
  readonly rules?: readonly Rule[];
}

/** Fields by the name that the handler reads them under. */
export type FieldMap = Readonly<Record<string, FieldSpec>>;

interface TypeOf {
  readonly string: string;
  readonly int: number;
  readonly float: number;
  readonly bool: boolean;
  readonly duration: number;
}

type IsRequired<F extends FieldSpec> = F extends { readonly rules: readonly (infer R)[] }
  ? Rule extends R
    ? false
    : Extract<R, RequiredRule> extends never
      ? false
      : true
  : false;
type Single<F extends FieldSpec> = F extends { readonly array: true }
  ? readonly TypeOf[F['type']][]
  : TypeOf[F['type']];

/** The values of a field map that are all there. */
export type RequiredFieldValues<M extends FieldMap> = { readonly [K in keyof M]: Single<M[K]> };

/** The values of a field map: a field that no rule requires may be `undefined`. */
export type FieldValues<M extends FieldMap> = {
  readonly [K in keyof M]: IsRequired<M[K]> extends true ? Single<M[K]> : Single<M[K]> | undefined;
};

type RequiredKeys<M extends FieldMap> = { [K in keyof M]: IsRequired<M[K]> extends true ? K : never }[keyof M];

/** What a handler returns for a field map: required fields, and any of the others. */
export type FieldResult<M extends FieldMap> = { readonly [K in RequiredKeys<M>]: Single<M[K]> } & {
  readonly [K in Exclude<keyof M, RequiredKeys<M>>]?: Single<M[K]> | null | undefined;
};

/** A field as the binder reads it. */
export interface Field {
  readonly field: string;
  readonly name: string;
  readonly type: FieldType;
  readonly array: boolean;
  readonly rules: readonly Rule[];
  /** The rule's expression, compiled once. */
  readonly patterns: ReadonlyMap<Rule, RegExp>;
}

const TYPES: readonly unknown[] = ['string', 'int', 'float', 'bool', 'duration'];
const NUMERIC: readonly FieldType[] = ['int', 'float', 'duration'];

/**
 * Checks a field map once, where it is written.
 *
 * @throws FrameworkError `app.invalid_configuration` that names source and field
 */
export function parseFields(source: string, map: FieldMap): readonly Field[] {
  return Object.keys(map).map((field) => {
    const spec: unknown = map[field];
    if (typeof spec !== 'object' || spec === null) throw invalidOption(`${source}.${field}`, 'a field');
    return parseField(source, field, spec as FieldSpec);
  });
}

function parseField(source: string, field: string, spec: FieldSpec): Field {
  const { type, name = field, array = false, rules = [] } = spec;
  const path = `${source}.${field}`;
  assertKnownOptions(spec, ['type', 'name', 'array', 'rules']);
  if (!TYPES.includes(type)) throw invalidOption(`${path}.type`, 'string, int, float, bool or duration');
  if (typeof name !== 'string' || name.trim() === '') throw invalidOption(`${path}.name`, 'text');
  if (typeof array !== 'boolean') throw invalidOption(`${path}.array`, 'a boolean');
  if (array && source === 'params') throw invalidOption(`${path}.array`, 'false: a path parameter is one value');
  if (!Array.isArray(rules)) throw invalidOption(`${path}.rules`, 'a list of rules');
  const parsed = rules.map(parseRule);
  for (const rule of parsed) assertApplies(rule, type, array);
  return {
    field,
    name: source === 'headers' ? name.toLowerCase() : name,
    type,
    array,
    rules: impliesRequired(source, parsed) ? [required(), ...parsed] : parsed,
    patterns: new Map(
      parsed.flatMap((rule) => (rule.rule === 'pattern' ? [[rule, new RegExp(rule.value, 'u')] as const] : [])),
    ),
  };
}

/** A path parameter is always there; one that is not belongs to another route. */
function impliesRequired(source: string, rules: readonly Rule[]): boolean {
  return source === 'params' && !rules.some((rule) => rule.rule === 'required');
}

/** Refuses a rule that could never fail or never hold for its field's type. */
function assertApplies(rule: Rule, type: FieldType, array: boolean): void {
  switch (rule.rule) {
    case 'required':
      return;
    case 'min':
    case 'max':
      if (!NUMERIC.includes(type)) throw badRule(rule.rule, 'on a field of type int, float or duration');
      return;
    case 'minLength':
    case 'maxLength':
      if (type !== 'string' && !array) throw badRule(rule.rule, 'on a field of type string or on a list');
      return;
    case 'pattern':
      if (type !== 'string') throw badRule('pattern', 'on a field of type string');
      return;
    case 'oneOf': {
      const wanted = type === 'string' ? 'string' : NUMERIC.includes(type) ? 'number' : '';
      if (rule.value.some((value) => typeof value !== wanted)) throw badRule('oneOf', `of values of type ${type}`);
      return;
    }
  }
}
