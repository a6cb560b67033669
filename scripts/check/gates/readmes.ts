import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from '../command.js';
import { plainIdentities } from '../first-examples.js';
import type { Gate } from '../gate.js';
import { type CodeBlock, codeBlocks, compileBlocks, missingInstalls } from '../readme-blocks.js';
import { runBlocks } from '../readme-run.js';
import { NOT_RUN } from '../readme-run-policy.js';
import { readWorkspace, sourceEntries } from '../workspace.js';

/** Files that readers copy from: the READMEs of packages, and the pages. */
const FIRST = /^(?:packages\/[^/]+\/README|docs\/[^/]+)\.md$/;
/** Pages whose files change from step to step. `scripts/docs/tutorial.test.ts` writes, compiles and runs them. */
const IN_STEPS: readonly string[] = ['docs/tutorial.md'];

export const readmesGate: Gate = {
  name: 'readmes',
  demands:
    'every ts block of a README or page compiles against the sources and runs; the first one needs only what was installed, and takes no identity from plain input',
  async run(note) {
    const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '--', '*.md']);
    const files = stdout.split('\n').filter((file) => file !== '' && !/CHANGELOG\.md$|^\.changeset\//.test(file));
    const texts = files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const);
    const blocks = texts
      .filter(([file]) => !IN_STEPS.includes(file))
      .flatMap(([file, text]): readonly CodeBlock[] => codeBlocks(file, text));
    const paths = packagePaths();
    const options = { root: ROOT, config: join(ROOT, 'tsconfig.check.json'), paths };
    const compiled = [
      ...texts.flatMap(([file, text]) => missingInstalls(file, text)),
      ...texts
        .filter(([file]) => FIRST.test(file))
        .flatMap(([file, text]) => codeBlocks(file, text).slice(0, 1).flatMap(plainIdentities)),
      ...compileBlocks(blocks, options),
    ];
    if (compiled.length > 0) return compiled;
    const modules = readWorkspace(ROOT, ['packages', 'examples', 'tools']).map(({ folder }) => folder);
    note(`${blocks.length} blocks, not run: ${NOT_RUN.length}`);
    return runBlocks(blocks, { root: ROOT, paths, modules, notRun: NOT_RUN });
  },
};

/** Package names to source files: a README may show packages that its package does not depend on, and pages of docs/ have no package. */
export function packagePaths(): Record<string, string[]> {
  const paths: Record<string, string[]> = {
    zod: [join(ROOT, 'examples/notes/node_modules/zod/index.d.ts')],
    '@aws-sdk/client-sqs': [join(ROOT, 'packages/local/node_modules/@aws-sdk/client-sqs/dist-types/index.d.ts')],
    '@aws-sdk/client-s3': [join(ROOT, 'packages/objectstore/node_modules/@aws-sdk/client-s3/dist-types/index.d.ts')],
    '@aws-sdk/client-lambda': [join(ROOT, 'packages/client/node_modules/@aws-sdk/client-lambda/dist-types/index.d.ts')],
    'aws-cdk-lib/*': [join(ROOT, 'packages/constructs/node_modules/aws-cdk-lib/*/index.d.ts')],
  };
  for (const { folder, manifest } of readWorkspace(ROOT, ['packages'])) {
    for (const [subpath, source] of sourceEntries(manifest)) {
      paths[join(manifest.name, subpath)] = [join(ROOT, folder, source)];
    }
  }
  return paths;
}
