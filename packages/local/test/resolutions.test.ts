import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Resolutions } from '../src/internal/build/resolutions.js';
import { createProject, type Project } from './support/run.js';

const FILE = 'node_modules/one/lib/index.js';
const ONE = { path: 'one', kind: 'import-statement', resolveDir: '/src' };

describe('resolved imports between two builds', () => {
  let project: Project;
  let resolutions: Resolutions;

  beforeEach(() => {
    project = createProject({
      'package-lock.json': '{}',
      'node_modules/one/package.json': '{ "name": "one" }',
      [FILE]: '',
    });
    resolutions = new Resolutions(project.folder);
    resolutions.keep(ONE, foundAt(join(project.folder, FILE)));
    resolutions.close();
  });
  afterEach(() => project.remove());

  test.each<[fate: 'kept' | 'forgotten', change: string, make: (project: Project) => void]>([
    ['kept', 'nothing changes', () => {}],
    ['kept', 'a file of the service changes', (one) => one.write('src/lambda.mjs', 'changed')],
    ['kept', 'a file of the package changes', (one) => one.write('node_modules/one/lib/index.js', 'changed')],
    ['forgotten', 'the manifest of the package changes', (one) => one.write('node_modules/one/package.json', '{}')],
    ['forgotten', 'the lock file changes', (one) => one.write('package-lock.json', '{ "a": 1 }')],
    ['forgotten', 'tsconfig.json appears', (one) => one.write('tsconfig.json', '{}')],
    ['forgotten', 'the file of the package is gone', (one) => rmSync(join(one.folder, FILE))],
  ])('are %s if %s', (fate, _, make) => {
    make(project);
    resolutions.refresh();
    expect(resolutions.get(ONE) === undefined ? 'forgotten' : 'kept').toBe(fate);
  });

  test('are found only for the same import in the same folder', () => {
    expect(resolutions.get(ONE)?.path).toBe(join(project.folder, FILE));
    expect(resolutions.get({ ...ONE, kind: 'require-call' })).toBeUndefined();
    expect(resolutions.get({ ...ONE, resolveDir: '/src/other' })).toBeUndefined();
    expect(resolutions.get({ ...ONE, path: 'one/lib' })).toBeUndefined();
  });
});

const foundAt = (path: string) => ({
  path,
  errors: [],
  warnings: [],
  external: false,
  sideEffects: true,
  namespace: 'file',
  suffix: '',
  pluginData: undefined,
});
