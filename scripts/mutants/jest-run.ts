import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The outcome of one test file. */
export interface FileResult {
  readonly file: string;
  readonly passed: boolean;
  readonly ms: number;
}

export interface JestRun {
  /** `killed`: a test failed. `timeout`: the run did not end in time. */
  readonly outcome: 'passed' | 'killed' | 'timeout';
  readonly files: readonly FileResult[];
}

interface JestOptions {
  readonly root: string;
  /** Patterns or paths of test files. */
  readonly tests: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** True if the run ends at the first failure, in one process. */
  readonly bail: boolean;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

/** Runs test files of a copy of the workspace in a separate process group, which is killed when time is over. */
export async function runJest({ root, tests, env, timeoutMs, bail }: JestOptions): Promise<JestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-mutants-'));
  const report = join(folder, 'report.json');
  const args = ['--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js')];
  const jest = [
    ...args,
    '--json',
    `--outputFile=${report}`,
    '--silent',
    ...(bail ? ['--bail', '--runInBand', '--runTestsByPath'] : []),
  ];
  const child = spawn(process.execPath, [...jest, ...tests], {
    ...{
      cwd: root,
      detached: true,
      stdio: ['ignore', 'ignore', process.env.SALLYPORT_MUTANTS_LOG ? 'inherit' : 'ignore'],
    },
    env: { ...process.env, CI: '1', ...env },
  });
  const inTime = await ended(child, timeoutMs);
  const files = existsSync(report) ? filesOf(JSON.parse(readFileSync(report, 'utf8')) as Report) : [];
  rmSync(folder, { recursive: true, force: true });
  if (!inTime) return { outcome: 'timeout', files };
  return { outcome: child.exitCode === 0 ? 'passed' : 'killed', files };
}

function filesOf({ testResults }: Report): readonly FileResult[] {
  // A file of which a test is skipped has the status `focused`.
  return testResults.map(({ name, status, startTime, endTime }) => ({
    ...{ file: name, passed: status !== 'failed', ms: Math.max(1, endTime - startTime) },
  }));
}

function ended(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      killGroup(child);
      resolve(false);
    }, timeoutMs);
    child.once('exit', () => {
      clearTimeout(timer);
      killGroup(child);
      resolve(true);
    });
  });
}

/** Also kills processes that a test left running. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}
