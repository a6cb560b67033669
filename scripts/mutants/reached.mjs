// Notes which mutants a test file reaches: jest runs this before each test file, after its own globals are there.
import { appendFileSync } from 'node:fs';

const directory = process.env.SALLYPORT_REACHED;
if (directory) {
  const reached = new Set();
  const { testPath } = expect.getState();
  globalThis.__reachedMutants = reached;
  // Processes that a test starts inherit it, and note what they reach under its name.
  process.env.SALLYPORT_TEST_FILE = testPath;
  afterAll(() => appendFileSync(`${directory}/files`, [...reached].map((id) => `${testPath}\t${id}\n`).join('')));
}
