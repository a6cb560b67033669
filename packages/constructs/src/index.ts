export { CONSTRUCT_CODES, ConstructError, type ConstructErrorCode } from './errors.js';
export * from './function.js';
export * from './graphql.js';
export * from './http.js';
export * from './mcp.js';
export * from './state.js';
export * from './triggers.js';
export * from './wiring.js';
