import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { loadConfig, projectOf } from '../config/load.js';
import { usageError } from '../errors.js';
import { type RunningHost, startHost } from '../host/create-host.js';
import { cleanText } from '../journal/cleaner.js';
import { toText } from '../runtime/failures.js';
import { problemsOf, type TestResult } from '../test-run/compare.js';
import { sendToFunction, sendToUrl } from '../test-run/deployed-target.js';
import { type Tested, toJUnit } from '../test-run/junit.js';
import { sendLocally } from '../test-run/local-target.js';
import { readTestFile, type TestCase } from '../test-run/test-file.js';
import { DEV_FLAGS, type Flag, type Parsed, parseArguments, toFlags } from './arguments.js';
import { type Around, EXIT } from './around.js';

/** Flags of `dev` that a run without a page and without saves has too. */
const { port: _port, open: _open, logs: _logs, quiet: _quiet, reveal: _reveal, check: _check, ...SHARED } = DEV_FLAGS;

export const TEST_RUN_FLAGS: Readonly<Record<string, Flag>> = {
  ...SHARED,
  entry: { type: 'text', help: 'the entry file (default src/lambda.ts)' },
  junit: { type: 'text', help: 'the file for the report in JUnit format' },
  url: { type: 'text', help: 'send HTTP tests to this deployed API instead of starting the service' },
  function: { type: 'text', help: 'invoke this deployed function instead, with the AWS SDK of the project' },
  'token-env': { type: 'text', help: 'the variable with the token for tests with "as", for a deployed stack' },
};

type Send = (test: TestCase) => Promise<TestResult>;

/** `sallyport test-run <file…>`: sends the events of files and compares the results; for build servers. */
export async function testRun(args: readonly string[], around: Around): Promise<number> {
  const parsed = parseArguments(args, TEST_RUN_FLAGS);
  if (parsed.positionals.length === 0) throw usageError('name the files of tests: sallyport test-run test/events.json');
  const files = parsed.positionals.map((file) => ({ file, tests: readTestFile(resolve(around.cwd, file), file) }));
  const { url, function: functionName, 'token-env': variable, entry } = parsed.values;
  if (url !== undefined && functionName !== undefined) throw usageError('pass --url or --function, not both');
  const token = variable === undefined ? undefined : around.environment[String(variable)];
  if (variable !== undefined && !token) throw usageError(`the variable ${String(variable)} of --token-env is not set`);
  const named = { ...(token !== undefined && { token }) };
  if (url !== undefined) return report(files, sendToUrl({ url: urlOf(String(url)), ...named }), parsed, around);
  if (functionName !== undefined) {
    const deployment = { functionName: String(functionName), ...named };
    const project = projectOf(around.cwd, entry as string | undefined);
    return report(files, await sendToFunction(project, deployment), parsed, around);
  }
  const positionals = entry === undefined ? [] : [String(entry)];
  const loaded = loadConfig(around.cwd, toFlags({ ...parsed, positionals }, TEST_RUN_FLAGS));
  // Expectations are about what the function returns; what is printed is sanitized.
  const config = { ...loaded, port: 0, reveal: true };
  const host = await startHost(config, { watch: false, without: ['console'] });
  try {
    const problem = codeProblem(host);
    if (problem !== undefined) {
      around.err(`${problem}\n`);
      return EXIT.build;
    }
    return await report(files, (test) => sendLocally(host, test), parsed, around);
  } finally {
    await host.stop();
  }
}

function urlOf(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw usageError(`--url must be an http or https URL (got "${text}")`);
  return text;
}

/** The reason why the service cannot be tested; `undefined` if it runs. */
function codeProblem({ invoker }: RunningHost): string | undefined {
  const code = invoker.code();
  if (code.state === 'broken') return code.problems.map(toText).join('\n');
  return code.state === 'ready' && code.problem !== undefined
    ? `the service does not load: ${code.problem}`
    : undefined;
}

interface TestFile {
  readonly file: string;
  readonly tests: readonly TestCase[];
}

/** Runs the tests in order, prints one line for each, and writes the report. */
async function report(files: readonly TestFile[], send: Send, { values }: Parsed, around: Around): Promise<number> {
  const tested: Tested[] = [];
  for (const { file, tests } of files) {
    for (const test of tests) {
      const one = await runTest(file, test, send);
      tested.push(one);
      around.out(values.json ? `${JSON.stringify({ type: 'test', ...one })}\n` : lineOf(one));
    }
  }
  if (values.junit !== undefined) writeReport(resolve(around.cwd, String(values.junit)), tested, around.cwd);
  const failed = tested.filter(({ problems }) => problems.length > 0).length;
  const skipped = tested.filter((one) => one.skipped !== undefined).length;
  const counts = `${tested.length - failed - skipped} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  around.out(
    values.json ? `${JSON.stringify({ type: 'tested', tests: tested.length, failed, skipped })}\n` : `${counts}\n`,
  );
  return failed === 0 ? EXIT.ok : EXIT.failed;
}

async function runTest(file: string, test: TestCase, send: Send): Promise<Tested> {
  const startedAt = performance.now();
  const ended = () => Math.round(performance.now() - startedAt);
  try {
    const result = await send(test);
    if (result.skipped !== undefined)
      return { file, name: test.name, ms: ended(), problems: [], skipped: result.skipped };
    return { file, name: test.name, ms: ended(), problems: cleanText(problemsOf(test, result)) };
  } catch (error) {
    return { file, name: test.name, ms: ended(), problems: [cleanText((error as Error).message)] };
  }
}

function lineOf({ name, ms, problems, skipped }: Tested): string {
  if (skipped !== undefined) return `skipped  ${name}: ${skipped}\n`;
  const lines = problems.map((problem) => `         ${problem}\n`);
  return `${problems.length === 0 ? 'passed ' : 'failed '}  ${name}  ${ms} ms\n${lines.join('')}`;
}

function writeReport(path: string, tested: readonly Tested[], folder: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toJUnit(tested));
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException;
    throw usageError(`the report ${relative(folder, path)} cannot be written (${code})`);
  }
}
