// The contract of a service: written from the descriptions of its functions, as documents, as types, and compared.

export { toAsyncApi } from './service/asyncapi.js';
export { type Allowed, parseAllowed } from './service/check/allowed.js';
export { compareContracts } from './service/check/check.js';
export type { Finding, Level } from './service/check/finding.js';
export type {
  CallEntry,
  Entry,
  Guarded,
  HttpEntry,
  JsonSchema,
  McpEntry,
  MessageEntry,
  Schemas,
  ServiceContract,
  SocketEnvelope,
  SourceKind,
  UnknownSchema,
} from './service/contract.js';
export { SOURCE_KINDS } from './service/contract.js';
export type { DescribedRoute, DescribedService, DescribedTrigger } from './service/described.js';
export { contractDigest } from './service/digest.js';
export { compareGraphqlSchema, type SchemaDifference } from './service/graphql/compare-schema.js';
export { joinContracts } from './service/join.js';
export { toMcp } from './service/mcp.js';
export { type DocumentFacts, toOpenApi } from './service/openapi.js';
export { parseContractFile } from './service/parse.js';
export { sourcesOf, usedPartOf } from './service/parts.js';
export {
  CONTRACT_METADATA,
  contractInTemplate,
  packContract,
  readContracts,
  type StoredContract,
} from './service/stored.js';
export { toContract } from './service/to-contract.js';
export { toTypes } from './service/types.js';
