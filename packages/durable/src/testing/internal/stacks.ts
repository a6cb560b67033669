import { fileURLToPath } from 'node:url';

/** The folder of this package and its siblings: `packages` in their repository, else `node_modules/@sallyport`. */
const SIBLINGS = fileURLToPath(new URL('../../../../', import.meta.url));
const OWN_FILE = /[\\/]durable[\\/](?:src|dist)[\\/]testing[\\/]/;
const BUILT = /^[a-z-]+[\\/](?:src|dist)[\\/]/;
const SDK = /[\\/]durable-execution-sdk-js[\\/]/;
const PACKAGE = /[\\/]node_modules[\\/]/;

/** Code that runs between an application's own lines. */
function isFramework(frame: string): boolean {
  const at = frame.indexOf(SIBLINGS);
  return frame.includes('@sallyport') || (at !== -1 && BUILT.test(frame.slice(at + SIBLINGS.length)));
}

/** The frames of the running code without those of this folder and of Node.js, nearest first. */
function frames(): readonly string[] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const { stack = '' } = new Error('here');
  Error.stackTraceLimit = limit;
  return stack
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at ') && !line.includes('node:') && !OWN_FILE.test(line));
}

/** The stack if the nearest frame is code of the application; `undefined` for the framework and for packages. */
export function ownStack(): string | undefined {
  const [nearest, ...others] = frames();
  if (!nearest || isFramework(nearest) || PACKAGE.test(nearest)) return undefined;
  return [nearest, ...others].slice(0, 5).join('\n');
}

/** The stack if code of the application, or a package that it calls, is nearer than the framework and the SDK. */
export function callerStack(): string | undefined {
  const [nearest, ...others] = frames();
  if (!nearest || isFramework(nearest) || SDK.test(nearest)) return undefined;
  return [nearest, ...others].slice(0, 5).join('\n');
}
