/** Binding and validation: what an application uses of it. */
export { bind } from './bind/bind.js';
export type {
  BindSource,
  BindSpec,
  BoundFunction,
  BoundHandler,
  BoundInput,
  BoundValue,
  Contract,
  Schema,
} from './bind/contract.js';
export type { FieldMap, FieldSpec, FieldType } from './bind/fields.js';
export type { BindingIssue } from './bind/issues.js';
export { max, maxLength, min, minLength, oneOf, pattern, type Rule, required } from './bind/rules.js';
export type { StandardIssue, StandardJsonSchema, StandardResult, StandardSchema } from './bind/standard-schema.js';
