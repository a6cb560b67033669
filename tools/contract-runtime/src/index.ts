export { FIXTURES, runContractCli } from './cli.js';
export { createTypeScriptRuntime } from './runtime.js';
export { validate } from './validate.js';
