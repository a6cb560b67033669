// The runtime as a separate program: `node --conditions=@sallyport/source --import tsx tools/contract-runtime/src/main.ts`.
import { serveRuntime } from '@sallyport/contract';
import { TOOL_FUNCTIONS } from './functions/tools.js';
import { createTypeScriptRuntime } from './runtime.js';
import { reserveStdout } from './stdout.js';

const output = reserveStdout();
try {
  await serveRuntime(createTypeScriptRuntime(TOOL_FUNCTIONS), process.stdin, output);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'failed'}\n`);
  process.exitCode = 3;
}
process.stdin.destroy();
