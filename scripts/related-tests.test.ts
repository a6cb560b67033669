import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** The test files that jest runs for a change of a source. */
function relatedTests(file: string): readonly string[] {
  const jest = [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--listTests',
    '--findRelatedTests',
    file,
  ];
  const output = execFileSync(process.execPath, jest, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return output
    .split('\n')
    .filter(Boolean)
    .map((path) => relative(root, path));
}

// Each of these tests imports the other package only by its name.
it.each([
  ['packages/triggers/src/kinds/alarm.ts', 'packages/triggers/test/answers.test.ts'],
  ['packages/http/src/routing/internal/router.ts', 'packages/secure/test/doors.test.ts'],
  ['packages/core/src/options/define-options.ts', 'packages/jobs/test/retries.test.ts'],
  ['tools/dynamodb-local/src/index.ts', 'packages/dynamo/test/table.test.ts'],
])('a change of %s runs %s', (source, test) => {
  expect(relatedTests(source)).toContain(test);
});
