import { boolean, group, invalidOption, list, OptionKind, oneOf, parsed, text, wrong } from '@sallyport/core/options';
import { badRule, parseRule, type RequiredRule, type Rule, required } from './rules.js';

/** `duration` is `1h30m`, `250ms` or ISO 8601 `PT1H30M`, and becomes milliseconds. */
export type FieldType = 'string' | 'int' | 'float' | 'bool' | 'duration';

/** One field of a source. */
export interface FieldSpec {
  /** The type to which the value is converted. */
  readonly type: FieldType;
  /** The name in the request, if it differs from the field's name. */
  readonly name?: string;
  /** True if the value is a list. In a query or a header each value is an entry. */
  readonly array?: boolean;
  /** The rules for the value, checked in this order. Default: none. */
  readonly rules?: readonly Rule[];
}

/** Fields by the names that the handler uses. */
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

/** The values of a field map when all of them are present. */
export type RequiredFieldValues<M extends FieldMap> = { readonly [K in keyof M]: Single<M[K]> };

/** The values of a field map: a field without the rule `required` may be `undefined`. */
export type FieldValues<M extends FieldMap> = {
  readonly [K in keyof M]: IsRequired<M[K]> extends true ? Single<M[K]> : Single<M[K]> | undefined;
};

type RequiredKeys<M extends FieldMap> = { [K in keyof M]: IsRequired<M[K]> extends true ? K : never }[keyof M];

/** The result of a handler for a field map: all required fields; the others are optional. */
export type FieldResult<M extends FieldMap> = { readonly [K in RequiredKeys<M>]: Single<M[K]> } & {
  readonly [K in Exclude<keyof M, RequiredKeys<M>>]?: Single<M[K]> | null | undefined;
};

/** A field in the form that the binder uses. */
export interface Field {
  readonly field: string;
  readonly name: string;
  readonly type: FieldType;
  readonly array: boolean;
  readonly rules: readonly Rule[];
  /** The rule's expression, compiled once. */
  readonly patterns: ReadonlyMap<Rule, RegExp>;
}

const NUMERIC: readonly FieldType[] = ['int', 'float', 'duration'];
const FIELD = /* @__PURE__ */ group<FieldSpec>()({
  type: /* @__PURE__ */ oneOf('string', 'int', 'float', 'bool', 'duration').required(),
  name: /* @__PURE__ */ text(),
  array: boolean,
  rules: /* @__PURE__ */ list(/* @__PURE__ */ parsed<Rule>('a rule', (rule) => parseRule(rule as Rule))),
});

/** A schema that `isOther` recognizes, or an object whose members are all fields. */
export function fieldMap<T>(wanted: string, isOther: (value: unknown) => boolean): OptionKind<T> {
  return new OptionKind(wanted, (value, place) => {
    if (isOther(value)) return value as T;
    const isMap = typeof value === 'object' && value !== null && !('~standard' in value) && !Array.isArray(value);
    if (!isMap) throw wrong(place, wanted);
    if (Object.values(value).some((member) => typeof member === 'function')) {
      throw wrong(
        place,
        `${wanted}; this validator is older than Standard Schema: zod has it since 3.24, valibot since 1.0`,
      );
    }
    if (typeof (value as { type?: unknown }).type === 'string' || '$schema' in value) {
      throw wrong(place, `${wanted}, not a JSON Schema`);
    }
    for (const [name, field] of Object.entries(value)) {
      FIELD.read(field ?? null, { ...place, name: `${place.name}.${name}` });
    }
    return value as T;
  });
}

/**
 * Creates the fields of a map that `bind` has accepted.
 *
 * @throws FrameworkError `app.invalid_configuration` for a rule that does not match the type of its field
 */
export function parseFields(source: string, map: FieldMap): readonly Field[] {
  return Object.entries(map).map(([field, spec]) => parseField(source, field, spec));
}

function parseField(source: string, field: string, { type, name, array = false, rules = [] }: FieldSpec): Field {
  const single = source === 'params' ? 'path parameter' : source === 'cookies' ? 'cookie' : undefined;
  if (array && single !== undefined) throw invalidOption(`${source}.${field}.array`, `false: a ${single} is one value`);
  const checked = rules.map(parseRule);
  for (const rule of checked) assertApplies(rule, type, array);
  return {
    field,
    name: wireName(source, field, name),
    type,
    array,
    rules: isRequired(source, checked) && !hasRequired(checked) ? [required(), ...checked] : checked,
    patterns: new Map(
      checked.flatMap((rule) => (rule.rule === 'pattern' ? [[rule, new RegExp(rule.value, 'u')] as const] : [])),
    ),
  };
}

/** The name of a field on the wire: names of headers are in lower case. */
export function wireName(source: string, field: string, name = field): string {
  return source === 'headers' ? name.toLowerCase() : name;
}

/** True if a field is required. A path parameter is always present: without it the route does not match. */
export function isRequired(source: string, rules: readonly Rule[]): boolean {
  return source === 'params' || hasRequired(rules);
}

function hasRequired(rules: readonly Rule[]): boolean {
  return rules.some(({ rule }) => rule === 'required');
}

/** Rejects a rule that would always pass or always fail for the type of its field. */
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
