import type { Values } from './convert.js';
import type { Field } from '../fields.js';
import type { IssueList } from '../issues.js';
import type { Rule } from '../rules.js';

/** Holds the rules of all fields against their values. */
export function checkFields(source: string, fields: readonly Field[], values: Values, issues: IssueList): void {
  for (const field of fields) checkField(source, field, values[field.field], issues);
}

/** A failed `required` ends the field; other rules say nothing about a field that is not there. */
function checkField(source: string, field: Field, value: unknown, issues: IssueList): void {
  for (const rule of field.rules) {
    const missing = value === undefined;
    const broken = rule.rule === 'required' ? missing : !missing && isBroken(rule, field, value);
    if (!broken) continue;
    issues.add({ source, field: field.name, rule: WIRE_NAMES[rule.rule], message: `${field.name} ${complaint(rule)}` });
    if (rule.rule === 'required') return;
  }
}

/** What clients read in the place of a rule's name. */
const WIRE_NAMES: Readonly<Record<Rule['rule'], string>> = {
  required: 'required',
  min: 'min',
  max: 'max',
  minLength: 'min_length',
  maxLength: 'max_length',
  pattern: 'pattern',
  oneOf: 'one_of',
};

function isBroken(rule: Exclude<Rule, { rule: 'required' }>, field: Field, value: unknown): boolean {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  switch (rule.rule) {
    case 'min':
      return entries.some((entry) => Number(entry) < rule.value);
    case 'max':
      return entries.some((entry) => Number(entry) > rule.value);
    case 'minLength':
      return lengthOf(value) < rule.value;
    case 'maxLength':
      return lengthOf(value) > rule.value;
    case 'pattern':
      return entries.some((entry) => !field.patterns.get(rule)?.test(String(entry)));
    case 'oneOf':
      return entries.some((entry) => !rule.value.includes(entry as string | number));
  }
}

/** Entries of a list; characters of a text, as JSON Schema counts them. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  let length = 0;
  for (const _ of String(value)) length += 1;
  return length;
}

function complaint(rule: Rule): string {
  switch (rule.rule) {
    case 'required':
      return 'is required';
    case 'min':
      return `must be >= ${rule.value}`;
    case 'max':
      return `must be <= ${rule.value}`;
    case 'minLength':
      return `length must be >= ${rule.value}`;
    case 'maxLength':
      return `length must be <= ${rule.value}`;
    case 'pattern':
      return 'must match pattern';
    case 'oneOf':
      return `must be one of ${rule.value.join(', ')}`;
  }
}
