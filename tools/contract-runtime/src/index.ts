export { FIXTURES } from './folder.js';
export { createTypeScriptRuntime } from './runtime.js';
export { validate } from './validate.js';
