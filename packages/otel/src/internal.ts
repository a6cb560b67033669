/**
 * The encoder and the sender of OTLP for other packages of the framework. Any release can change or remove them.
 *
 * @internal
 * @packageDocumentation
 */

export { toOtlpJson } from './encoding/json.js';
export {
  type Attributes,
  type AttributeValue,
  attributes,
  bool,
  double,
  doubles,
  encode,
  fixed32,
  hex,
  integer64,
  integers64,
  type Kind,
  string,
  time,
  unsigned,
} from './encoding/protobuf.js';
export { type Fields, message, repeated } from './encoding/tables.js';
export { RESOURCE, type Resource, SCHEMA_URL, SCOPE, type Scope } from './encoding/traces.js';
export {
  OTLP_KINDS,
  type OtlpOptions,
  type OtlpProtocol,
  OtlpSender,
  type OtlpSignal,
  type Sent,
} from './export/sender.js';
