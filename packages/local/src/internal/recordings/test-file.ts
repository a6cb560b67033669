import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fromJson, membersOf } from '@sallyport/core/internal';
import { localError } from '../errors.js';
import type { TestFileSettings } from './as-test.js';

/** The function that a test calls. */
export interface TestedFunction {
  /** The project: where `package.json` is. Absolute. */
  readonly folder: string;
  /** The entry file, absolute. */
  readonly entry: string;
  /** The name of the exported handler. */
  readonly handler: string;
}

/** The settings of a test file that depend on the project. @param file absolute */
export function testSettings({ folder, entry, handler }: TestedFunction, file: string) {
  const runner = runnerOf(folder);
  return { module: moduleOf(dirname(file), entry, runner), handler, runner, isTyped: /ts$/.test(file) };
}

/** `../src/lambda.js` for an entry in TypeScript: the specifier of ES modules names the compiled file. Node itself loads the source. */
function moduleOf(folder: string, entry: string, runner: TestFileSettings['runner']): string {
  const path = relative(folder, entry).replaceAll('\\', '/');
  const named = runner === 'node' ? path : path.replace(/ts$/, 'js');
  return named.startsWith('.') ? named : `./${named}`;
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

const FOLDERS = ['test', 'tests', '__tests__', 'spec'];
const MAX_FILES = 100;

/**
 * Writes a test into the test folder of the project; an existing file is never changed.
 *
 * @param name the beginning of the file's name
 * @param render makes the text from the absolute path of the file
 * @returns the path relative to the project, with `/`
 * @throws FrameworkError `local.invalid_request` if the file cannot be written
 */
export function writeTest(tested: TestedFunction, name: string, render: (file: string) => string): string {
  const { folder, entry } = tested;
  const tests = FOLDERS.find((one) => statSync(join(folder, one), { throwIfNoEntry: false })?.isDirectory()) ?? 'test';
  const [extension] = /\.[cm]?[jt]sx?$/.exec(entry) ?? ['.js'];
  for (let count = 1; count <= MAX_FILES; count += 1) {
    const file = `${tests}/${name}${count === 1 ? '' : `-${count}`}.test${extension.replace(/x$/, '')}`;
    if (writeNew(join(folder, file), render)) return file;
  }
  throw localError('local.invalid_request', `framework: ${tests}/${name} has ${MAX_FILES} test files: remove some`);
}

/** @returns false if the file exists */
function writeNew(path: string, render: (file: string) => string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, render(path), { flag: 'wx' });
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && syscall === 'open') return false;
    if (syscall === undefined) throw error;
    throw localError('local.invalid_request', `framework: the test file ${path} cannot be written (${code})`);
  }
}
