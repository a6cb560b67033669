export { CONSTRUCT_CODES, ConstructError, type ConstructErrorCode } from './errors.js';
export * from './function.js';
