import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { answerOf, createProject, start } from './support/run.js';

interface OtherNode {
  readonly path: string;
  readonly version: string;
}

/** A Node other than the Node of the tests: the workspace's own, or a Node on the path. */
function findOther(): OtherNode | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  for (const path of [ofWorkspace(), ...onPath]) {
    const version = path && versionOf(path);
    if (path && version && version !== process.version) return { path, version };
  }
  return undefined;
}

function ofWorkspace(): string | undefined {
  try {
    const { resolve } = createRequire(new URL('../../../package.json', import.meta.url));
    return join(dirname(resolve(`node-${process.platform}-${process.arch}/package.json`)), 'bin', 'node');
  } catch {
    return undefined;
  }
}

function versionOf(path: string): string | undefined {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

const other = findOther();
const onOther = other ? test : test.skip;

onOther(
  `--node runs the function on another Node${other ? '' : ` (skipped: there is none but ${process.version})`}`,
  async () => {
    const { path, version } = other as OtherNode;
    const project = createProject({
      'src/lambda.mjs': `export const handler = async () => [process.version, process.env.AWS_EXECUTION_ENV];`,
    });
    const host = await start(project, { node: path });
    try {
      const major = version.slice(1).split('.')[0];
      expect(await answerOf(host, {})).toEqual([version, `AWS_Lambda_nodejs${major}.x`]);
    } finally {
      await host.stop();
      project.remove();
    }
  },
);
