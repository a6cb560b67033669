import { answerOf, createProject, start } from './support/run.js';

const esm = (name: string, code: string) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, type: 'module', exports: './index.js' }),
  [`node_modules/${name}/index.js`]: code,
});

test('a late import of a dependency has its names, in any form', async () => {
  const project = createProject({
    'src/lambda.mjs': `
import { load } from 'outer';
export const handler = async () => {
  const [modern, old] = await load();
  return [modern.name, old.name];
};`,
    ...esm('outer', "export const load = () => Promise.all([import('modern'), import('old')]);"),
    ...esm('modern', "export const name = 'a module';"),
    'node_modules/old/package.json': '{ "name": "old", "main": "index.js" }',
    'node_modules/old/index.js': "exports.name = 'CommonJS';",
  });
  const host = await start(project);
  expect(await answerOf(host, {})).toEqual(['a module', 'CommonJS']);
  await host.stop();
  project.remove();
});
