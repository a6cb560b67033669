import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fromJson, membersOf } from '@sallyport/core/internal';
import { loadConfig, projectOf } from '../config/load.js';
import { usageError } from '../errors.js';
import { renderTestFile, type TestFileSettings, toIncident } from '../recordings/as-test.js';
import { type Around, EXIT } from './around.js';
import { readEvent } from './ask.js';

const TEST_FILE = /\.test\.[cm]?[jt]s$/;

/**
 * `sallyport replay <file> --as-test <test file>`: writes a test of the service from a recording or a failed event.
 *
 * @throws FrameworkError `local.usage` for an existing test file, which is not overwritten
 */
export async function replayAsTest(files: readonly string[], testFile: string, around: Around): Promise<number> {
  const [file, ...more] = files;
  if (file === undefined || more.length > 0) {
    throw usageError('name one file: sallyport replay event.json --as-test test/orders-incident.test.ts');
  }
  if (!TEST_FILE.test(testFile))
    throw usageError(`--as-test must name a test file, such as test/a.test.ts (got "${testFile}")`);
  const path = resolve(around.cwd, testFile);
  if (existsSync(path)) throw usageError(`the file ${testFile} exists: name a new file`);
  const incident = toIncident(await readEvent(file, around));
  const { entry, handler } = loadConfig(around.cwd, {});
  const text = renderTestFile(incident, {
    source: file === '-' ? 'standard input' : file,
    module: moduleOf(dirname(path), entry),
    handler,
    runner: runnerOf(projectOf(around.cwd)),
    isTyped: /ts$/.test(testFile),
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  around.out(`${testFile}\n`);
  return EXIT.ok;
}

/** `../src/lambda.js` for an entry in TypeScript: the specifier of ES modules names the compiled file. */
function moduleOf(folder: string, entry: string): string {
  const path = relative(folder, entry).replaceAll('\\', '/').replace(/ts$/, 'js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** The test runner of the project. */
function runnerOf(project: string): TestFileSettings['runner'] {
  const file = join(project, 'package.json');
  const { dependencies, devDependencies } = membersOf(
    existsSync(file) ? fromJson(readFileSync(file, 'utf8')) : undefined,
  );
  const all = { ...membersOf(dependencies), ...membersOf(devDependencies) };
  if ('vitest' in all) return 'vitest';
  return 'jest' in all ? 'jest' : 'node';
}
