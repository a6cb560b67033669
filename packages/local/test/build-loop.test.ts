import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildLoop } from '../src/internal/build/build-loop.js';
import { Builder } from '../src/internal/build/builder.js';
import { loadConfig } from '../src/internal/config/load.js';
import { createProject } from './support/run.js';

const program = (answer: string) => `export const handler = () => ${answer};`;

test('a build that began before its save had ended is made again, and only the last one is used', async () => {
  const project = createProject({ 'src/lambda.mjs': program('1') });
  const config = loadConfig(project.folder, { entry: 'src/lambda.mjs', port: 0, state: false });
  const used: string[] = [];
  let onUse = () => {};
  const builds = new BuildLoop({
    config,
    watch: true,
    onBuild: async (outcome) => {
      used.push(outcome.kind === 'built' ? await readFile(new URL(outcome.code.order.entry), 'utf8') : outcome.kind);
      onUse();
    },
  });
  await builds.start();
  const watcher = watch(join(project.folder, 'src'));
  const compile = Builder.prototype.compile;
  const spy = import.meta.jest.spyOn(Builder.prototype, 'compile').mockImplementationOnce(async function (
    this: Builder,
  ) {
    const compiled = await compile.call(this);
    project.write('src/lambda.mjs', program('3'));
    await once(watcher, 'change');
    return compiled;
  });
  const isUsed = new Promise<void>((resolve) => {
    onUse = resolve;
  });
  project.write('src/lambda.mjs', program('2'));
  await isUsed;
  expect(used).toEqual([expect.stringContaining('=> 1;'), expect.stringContaining('=> 3;')]);
  spy.mockRestore();
  watcher.close();
  await builds.stop();
  project.remove();
});
