export { compileExtensions } from '../internal/extensions.js';
