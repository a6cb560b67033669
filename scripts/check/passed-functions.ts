// The functions of our packages that one call runs, by V8's precise coverage.

import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './command.js';

/** One function that ran, by its file and its name. */
interface PassedFunction {
  readonly file: string;
  readonly name: string;
}

/** The functions that a call ran, and their files. */
export interface PassedFunctions {
  readonly functions: readonly PassedFunction[];
  readonly files: readonly string[];
}

/** Counts the third call: the first two load code and fill caches. */
export async function countPassed(call: () => Promise<unknown>): Promise<PassedFunctions> {
  await call();
  await call();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const functions = result.flatMap(functionsOf);
  return { functions, files: [...new Set(functions.map(({ file }) => file))] };
}

/** The functions of a file that ran; the module's own body does not count. */
function functionsOf({ url, functions }: Profiler.ScriptCoverage): PassedFunction[] {
  const file = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
  if (!/^packages\/[^/]+\/src\//.test(file)) return [];
  return functions
    .filter(({ ranges: [range], functionName }) => range && range.count > 0 && (functionName || range.startOffset > 0))
    .map(({ functionName }) => ({ file, name: functionName || '(anonymous)' }));
}
