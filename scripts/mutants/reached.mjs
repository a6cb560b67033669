// Records which mutants a test file reaches: jest runs this before each test file, after it has set its globals.
import { appendFileSync } from 'node:fs';

const directory = process.env.SALLYPORT_REACHED;
if (directory) {
  const reached = new Set();
  const { testPath } = expect.getState();
  globalThis.__reachedMutants = reached;
  // Processes that a test starts inherit it, and record their mutants under its name.
  process.env.SALLYPORT_TEST_FILE = testPath;
  afterAll(() => appendFileSync(`${directory}/files`, [...reached].map((id) => `${testPath}\t${id}\n`).join('')));
}
