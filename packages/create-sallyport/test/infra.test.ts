/** The infrastructure of generated projects, synthesised on the sources of this workspace. */
import { TEMPLATES, type TemplateName } from '../src/internal/templates.js';
import { filesOf, newProject, synth } from './support/projects.js';

it.each(Object.keys(TEMPLATES) as TemplateName[])('%s has at most 25 lines of infrastructure', (template) => {
  const files = [...filesOf(template)].filter(([path]) => path.startsWith('infra/'));
  const lines = files.flatMap(([, text]) => text.trimEnd().split('\n'));
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(lines.filter((line) => line.includes('startCache'))).toEqual([
    expect.stringMatching(/^\s*\/\/ startCache: true,/),
  ]);
});

it('is synthesised by infra/app.ts', async () => {
  const { status, stderr, template } = await synth(newProject('api'));
  expect([status, /WARNING.*/.exec(stderr)?.[0]]).toEqual([0, undefined]);
  expect(Object.keys(template.Resources).length).toBeGreaterThan(5);
});

it('fails at synth for a new handler without a source, with the line to add', async () => {
  const project = newProject('events', (path, text) =>
    path === 'src/app.ts' ? text.replace('return app;', "app.queue('refunds', fulfil);\n  return app;") : text,
  );
  const { status, stderr } = await synth(project);
  expect(status).toBe(1);
  expect(stderr).toContain('expected Source.queue("refunds") in "sources" of the service (at Mine/Service/Wiring)');
});

it('names one version of Node for the function, its bundle and the tests of every template', () => {
  for (const template of Object.keys(TEMPLATES) as TemplateName[]) {
    const files = filesOf(template);
    const text = ['scripts/bundle.ts', '.github/workflows/ci.yml', 'README.md'].map((path) => files.get(path) ?? '');
    const versions = text.join('\n').match(/(?<=node-version: |'node|nodejs)\d+/g);
    expect([template, [...new Set(versions)]]).toEqual([template, ['24']]);
  }
});
