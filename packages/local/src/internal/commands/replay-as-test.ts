import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { loadConfig } from '../config/load.js';
import { usageError } from '../errors.js';
import { renderTestFile, toIncident } from '../recordings/as-test.js';
import { testSettings } from '../recordings/test-file.js';
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
  const { folder, entry, handler } = loadConfig(around.cwd, {});
  const text = renderTestFile(incident, {
    source: `\`sallyport replay --as-test\` from ${file === '-' ? 'standard input' : file}`,
    ...testSettings({ folder, entry, handler }, path),
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  around.out(`${testFile}\n`);
  return EXIT.ok;
}
