/** The CDK's validation engine, cdk-nag and our own checks over the stack of every template, in both stages. */
import { fileURLToPath } from 'node:url';
import { TEMPLATES, type TemplateName } from '../src/internal/templates.js';
import { newProject, runIn } from './support/projects.js';

const SCRIPT = fileURLToPath(new URL('support/judge-stack.ts', import.meta.url));
const NOTHING = { engine: [], own: [], iam: [], nag: [] };

it.each(Object.keys(TEMPLATES) as TemplateName[])(
  'the stack of the template %s has no finding, in production and as a preview',
  async (template) => {
    const { status, stdout, stderr } = await runIn(newProject(template), SCRIPT, {});
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    const { production, preview } = JSON.parse(stdout) as Readonly<Record<string, { readonly findings: object }>>;
    expect([production?.findings, preview?.findings]).toEqual([NOTHING, NOTHING]);
  },
  300_000,
);
