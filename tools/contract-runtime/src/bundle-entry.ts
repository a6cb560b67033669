// The entry of a bundle with the whole runtime: `npm run contract -- --bundle <parts>`.
import { TOOL_FUNCTIONS } from './functions/tools.js';
import { createTypeScriptRuntime } from './runtime.js';

export const runtime = createTypeScriptRuntime(TOOL_FUNCTIONS);
