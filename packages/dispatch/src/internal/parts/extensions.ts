export { compileExtensions } from '../extensions.js';
